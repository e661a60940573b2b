import { ReplayError } from '../errors.ts';
import { inItems } from '../selection.ts';
import type { LeftoverReason } from '../types.ts';
import type { Lease } from './lease.ts';
import { pad, runKey } from './plans.ts';
import { KEEP_RUN_MS } from './runs.ts';
import { expiryOf, type Item, type Table, textOf } from './table.ts';

/** What a run did with one message. */
export type Deed = 'moved' | 'duplicate' | 'superseded' | 'discarded';

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
  readonly done: readonly DoneEntry[];
  readonly left: readonly LeftEntry[];
}

export interface MoveLog {
  /** Written before the first of them is published. */
  intend(lease: Lease, entries: readonly MoveEntry[], nowMs: number): Promise<void>;
  /** Written after publish, confirm and acknowledge. */
  done(lease: Lease, entries: readonly DoneEntry[], nowMs: number): Promise<void>;
  left(lease: Lease, entries: readonly LeftEntry[], nowMs: number): Promise<void>;
  load(run: string): Promise<Moves>;
}

/** Items are written once and never changed; their keys carry the fence, so two holders never meet. */
export function createMoveLog(table: Table): MoveLog {
  let sequence = 0;
  const write = async (
    kind: 'intend' | 'done' | 'left',
    lease: Lease,
    entries: readonly MoveEntry[],
    nowMs: number,
  ) => {
    for (const part of inItems(entries)) {
      const n = sequence++;
      const sk = `${kind}#${pad(lease.fence)}#${pad(n)}`;
      const created = await table.create(
        { pk: runKey(lease.run), sk },
        { entries: JSON.stringify(part), expiresAt: expiryOf(nowMs, KEEP_RUN_MS) },
      );
      if (created) continue;
      // The SDK repeats a request whose answer was lost and finds its own first success.
      const existing = await table.get({ pk: runKey(lease.run), sk });
      if (textOf(existing, 'entries') === JSON.stringify(part)) continue;
      throw new ReplayError('LEASE_LOST', `Somebody else writes moves of run ${lease.run}.`);
    }
  };
  return {
    intend: (lease, entries, nowMs) => write('intend', lease, entries, nowMs),
    done: (lease, entries, nowMs) => write('done', lease, entries, nowMs),
    left: (lease, entries, nowMs) => write('left', lease, entries, nowMs),
    async load(run) {
      const of = async <T>(kind: string) =>
        (await table.query(runKey(run), { prefix: `${kind}#` })).flatMap((item) =>
          entriesOf<T>(item),
        );
      const [intended, done, left] = await Promise.all([
        of<MoveEntry>('intend'),
        of<DoneEntry>('done'),
        of<LeftEntry>('left'),
      ]);
      return { intended, done, left };
    },
  };
}

function entriesOf<T>(item: Item): T[] {
  return JSON.parse(textOf(item, 'entries') ?? '[]') as T[];
}
