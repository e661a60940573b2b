import { isOver } from './run-state.ts';
import type { OutcomeReport } from './store/outcomes.ts';
import type { ReplayStore } from './store/replay-store.ts';

/** What the consumer calls for a message that carries `x-replay-run`. */
export interface OutcomeRecorder {
  /**
   * `ok`: the message ended well (done, a duplicate, discarded). Not ok: it failed again, to be retried
   * or parked. A deferral or a detour to isolation is no outcome. The same report again changes nothing.
   *
   * Rejects when the table can't be reached. A lost success makes a ramp's step wait for its full
   * minute; a lost failure may let the next step start, so try again while there is time.
   */
  recordOutcome(report: OutcomeReport): Promise<void>;
}

/** What of replay's memory outcomes touch; nothing of the audit. */
export type OutcomeStore = Pick<ReplayStore, 'outcomes' | 'runs' | 'moves' | 'relapses'>;

/**
 * Writes outcomes. A failure that comes after its run has ended (a late tier, a slow handler) makes the
 * signature rest, which the run itself does for those it saw.
 */
export function createOutcomeRecorder(store: OutcomeStore, now: () => number): OutcomeRecorder {
  return {
    async recordOutcome(report) {
      const nowMs = now();
      const known = !report.ok && (await store.outcomes.hasFailed(report.runId, report.messageId));
      await store.outcomes.record(report, nowMs);
      if (report.ok || known) return;
      const run = await store.runs.get(report.runId);
      if (run === undefined || !isOver(run.state)) return;
      const { done } = await store.moves.load(run.id);
      const entry = done.find(({ messageId }) => messageId === report.messageId);
      if (entry !== undefined) await store.relapses.add(run.flow, entry.signature, nowMs);
    },
  };
}
