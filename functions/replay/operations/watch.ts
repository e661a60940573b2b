import type { RequestReader } from '../requests.ts';
import { isOver } from '../run-state.ts';
import type { Run } from '../types.ts';
import type { OperatorPorts } from './types.ts';

/** A run, and what is known of its messages by now. */
export interface WatchedRun extends Run {
  /**
   * Moved messages whose consumer has said nothing yet; later looks may find fewer. Absent where nobody
   * waits for outcomes: without a ramp, and before the start.
   */
  readonly outcomesUnknown?: number;
  /** Those that failed again, a hundred at most; after the end of the run, too. Absent as above. */
  readonly failedAgain?: number;
}

/** How a run stands. @throws ReplayError `PLAN_UNKNOWN` */
export async function watch(
  { store }: Pick<OperatorPorts, 'store'>,
  request: RequestReader,
): Promise<WatchedRun> {
  const run = await store.runs.mustGet(request.text('run'));
  const { action, options } = run.plan;
  if (run.state === 'planned' || action !== 'replay' || !options.ramp) return run;
  const { well, failed } = await store.outcomes.of(run.id);
  const known = well + failed.length;
  // Parked twice is one outcome; only the list of moves tells, and most runs end without it being asked.
  const expected =
    isOver(run.state) && known < run.counters.moved
      ? new Set((await store.moves.load(run.id)).done.map(({ messageId }) => messageId)).size
      : run.counters.moved;
  const outcomesUnknown = Math.max(0, Math.min(expected, run.counters.moved) - known);
  return { ...run, outcomesUnknown, failedAgain: failed.length };
}
