import type { Outcomes } from '../ramp.ts';
import { runKey } from './plans.ts';
import { KEEP_RUN_MS } from './runs.ts';
import { expiryOf, numberOf, type Table, textOf } from './table.ts';

/** What a consumer says of a message that carried `x-replay-run`. */
export interface OutcomeReport {
  readonly runId: string;
  readonly messageId: string;
  /** True: processed, a duplicate, or discarded. False: it failed again, to be retried or parked. */
  readonly ok: boolean;
}

export interface OutcomeLog {
  /** Writes an outcome; the same one again changes nothing. */
  record(report: OutcomeReport, nowMs: number): Promise<void>;
  /** What is known of a run's messages: how many ended well, and the first that failed again. */
  of(run: string): Promise<Outcomes>;
  /** Whether the message is known to have failed again. */
  hasFailed(run: string, messageId: string): Promise<boolean>;
  /** Whether a consumer has seen this run's copy of the message. */
  seen(run: string, messageId: string): Promise<boolean>;
}

/** So many are enough to halt and to name. */
const FAILED_LISTED = 100;

export function createOutcomeLog(table: Table): OutcomeLog {
  const keyOf = (run: string, kind: 'well' | 'again', messageId: string) => ({
    pk: runKey(run),
    sk: `${kind}#${messageId}`,
  });
  return {
    async record({ runId, messageId, ok }, nowMs) {
      const expiresAt = expiryOf(nowMs, KEEP_RUN_MS);
      const key = keyOf(runId, ok ? 'well' : 'again', messageId);
      const first = await table.create(key, { messageId, atMs: nowMs, expiresAt });
      // Failures are read one by one: a count that a dying consumer forgot would hide a regression.
      // A forgotten success only makes a ramp's step wait for its full time.
      if (!first || !ok) return;
      await table.update(
        { pk: runKey(runId), sk: 'outcomes' },
        { add: { well: 1 }, set: { expiresAt } },
      );
    },

    async of(run) {
      const [counts, again] = await Promise.all([
        table.get({ pk: runKey(run), sk: 'outcomes' }),
        table.query(runKey(run), { prefix: 'again#', limit: FAILED_LISTED }),
      ]);
      return {
        well: numberOf(counts, 'well') ?? 0,
        failed: again.map((item) => textOf(item, 'messageId') ?? ''),
      };
    },

    async hasFailed(run, messageId) {
      return (await table.get(keyOf(run, 'again', messageId))) !== undefined;
    },

    async seen(run, messageId) {
      const items = await Promise.all(
        (['well', 'again'] as const).map((kind) => table.get(keyOf(run, kind, messageId))),
      );
      return items.some((item) => item !== undefined);
    },
  };
}
