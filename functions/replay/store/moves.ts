import { ReplayError } from '../errors.ts';
import { inItems } from '../selection.ts';
import type { LeftoverReason } from '../types.ts';
import type { Lease } from './lease.ts';
import { pad, runKey } from './plans.ts';
import { KEEP_RUN_MS } from './runs.ts';
import { expiryOf, type Item, type Table, textOf } from './table.ts';

/** What a run did with one message. */
export type Deed =
  | 'moved'
  /** Given up by a worker that could not say so: only what was confirmed is given up. */
  | 'presumed-moved'
  | 'duplicate'
  | 'superseded'
  | 'discarded';

export interface MoveEntry {
  readonly fingerprint: string;
  readonly messageId: string;
  readonly signature: string;
}
export interface DoneEntry extends MoveEntry {
  readonly deed: Deed;
}
export interface LeftEntry extends MoveEntry {
  readonly reason: LeftoverReason;
  /** The error's text, when there was one. */
  readonly detail?: string;
}

/** Everything a run has written of its moves: what a worker that adopts it goes by. */
export interface Moves {
  /** About to be published; one that is in no other list may or may not have been. */
  readonly intended: readonly MoveEntry[];
  /** Intended and not sent after all, each as often as that happened. */
  readonly withdrawn: readonly MoveEntry[];
  readonly done: readonly DoneEntry[];
  readonly left: readonly LeftEntry[];
}

export interface MoveLog {
  /** Written before the first of them is published. */
  intend(lease: Lease, entries: readonly MoveEntry[], nowMs: number): Promise<void>;
  /** Written when a worker stops before it has sent what it intended. */
  withdraw(lease: Lease, entries: readonly MoveEntry[], nowMs: number): Promise<void>;
  /** Written after publish, confirm and acknowledge. */
  done(lease: Lease, entries: readonly DoneEntry[], nowMs: number): Promise<void>;
  left(lease: Lease, entries: readonly LeftEntry[], nowMs: number): Promise<void>;
  load(run: string): Promise<Moves>;
  /** Fingerprints of the messages whose copies the run saw confirmed. */
  confirmed(run: string): Promise<readonly string[]>;
}

/** Items are written once and never changed; their keys carry the fence, so two holders never meet. */
export function createMoveLog(table: Table): MoveLog {
  let sequence = 0;
  const write = async (
    kind: 'intend' | 'withdraw' | 'done' | 'left',
    lease: Lease,
    texts: readonly string[],
    nowMs: number,
  ) => {
    for (const entries of texts) {
      const sk = `${kind}#${pad(lease.fence)}#${pad(sequence++)}`;
      const created = await table.create(
        { pk: runKey(lease.run), sk },
        { entries, expiresAt: expiryOf(nowMs, KEEP_RUN_MS) },
      );
      if (created) continue;
      // The SDK repeats a request whose answer was lost and finds its own first success.
      const existing = await table.get({ pk: runKey(lease.run), sk });
      if (textOf(existing, 'entries') === entries) continue;
      throw new ReplayError('LEASE_LOST', `Somebody else writes moves of run ${lease.run}.`);
    }
  };
  return {
    intend: (lease, entries, nowMs) => write('intend', lease, texts(entries, intendLine), nowMs),
    withdraw: (lease, entries, nowMs) =>
      write('withdraw', lease, texts(entries, intendLine), nowMs),
    done: (lease, entries, nowMs) => write('done', lease, texts(entries, doneLine), nowMs),
    left: (lease, entries, nowMs) => write('left', lease, texts(entries, leftLine), nowMs),
    async confirmed(run) {
      const items = await table.query(runKey(run), { prefix: 'done#' });
      return items
        .flatMap(linesOf)
        .flatMap(([id, , , deed]) => (id && deed === 'moved' ? [id] : []));
    },

    async load(run) {
      const of = async (kind: string) =>
        (await table.query(runKey(run), { prefix: `${kind}#` })).flatMap(linesOf);
      const [intended, withdrawn, done, left] = await Promise.all(
        ['intend', 'withdraw', 'done', 'left'].map(of),
      );
      return {
        intended: (intended ?? []).map(entryOf),
        withdrawn: (withdrawn ?? []).map(entryOf),
        done: (done ?? []).map((line) => ({ ...entryOf(line), deed: line[3] as Deed })),
        left: (left ?? []).map((line) => ({
          ...entryOf(line),
          reason: line[3] as LeftoverReason,
          ...(line[4] === undefined ? {} : { detail: line[4] }),
        })),
      };
    },
  };
}

/** One line per message, fields apart by tabs: half the bytes of JSON, which DynamoDB would escape once more. */
function texts<T>(entries: readonly T[], line: (entry: T) => string): string[] {
  return inItems(entries).map((part) => part.map(line).join('\n'));
}

const intendLine = ({ fingerprint, messageId, signature }: MoveEntry) =>
  `${fingerprint}\t${safe(messageId)}\t${safe(signature)}`;
const doneLine = (entry: DoneEntry) => `${intendLine(entry)}\t${entry.deed}`;
const leftLine = (entry: LeftEntry) =>
  `${intendLine(entry)}\t${entry.reason}${entry.detail === undefined ? '' : `\t${safe(entry.detail)}`}`;

/** What would end a field or a line is escaped, and the escape itself. */
function safe(text: string): string {
  return /[%\t\n\r]/.test(text) ? text.replace(/[%\t\n\r]/g, encodeURIComponent) : text;
}

function linesOf(item: Item): string[][] {
  const text = textOf(item, 'entries') ?? '';
  return text.split('\n').map((line) => line.split('\t').map(unsafe));
}

function unsafe(text: string): string {
  return text.includes('%') ? text.replace(/%(25|09|0A|0D)/g, decodeURIComponent) : text;
}

function entryOf([fingerprint = '', messageId = '', signature = '']: readonly string[]): MoveEntry {
  return { fingerprint, messageId, signature };
}
