import { setTimeout as sleep } from 'node:timers/promises';
import type { Wire } from '../../functions/replay/operations/answers.ts';
import type { WatchedRun } from '../../functions/replay/operations/watch.ts';
import type { Permission } from '../../functions/replay/operator.ts';
import { stepBegins } from '../../functions/replay/ramp.ts';
import { isOver } from '../../functions/replay/run-state.ts';
import type { Operator } from '../operator/operator.ts';
import { isPassing, MAX_TROUBLE, RunWorker } from './run-worker.ts';
import { messages } from './words.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
export interface FollowOptions {
  readonly run: string;
  /** Works on the run as the schedule does, so that it does not have to be waited for. */
  readonly work: boolean;
  readonly permission: Permission;
  readonly timeoutMs: number;
  readonly onChange: (run: Wire<WatchedRun>) => void;
  /** Something a person should know while waiting. */
  readonly onNote: (text: string) => void;
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Follows a run until it is over. Looks often at first, then every five seconds.
 * @returns the run, over or, when the time was, not
 * @throws OperatorError what three answers in a row say; those that say no, at once
 */
export async function follow(
  operator: Operator,
  options: FollowOptions,
): Promise<Wire<WatchedRun>> {
  const { run: id, permission, onChange, onNote, timeoutMs } = options;
  const { now = Date.now, wait = sleep } = options;
  const worker = options.work ? new RunWorker(operator, options) : undefined;
  const deadlineAtMs = now() + timeoutMs;
  let seen = '';
  let trouble = 0;
  let waitSaidAt = 0;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.2, LONGEST_PAUSE_MS)) {
    worker?.go(now());
    try {
      const run = await operator.ask('watch', { run: id }, permission);
      trouble = 0;
      const text = JSON.stringify([run.state, run.counters, run.leftovers, run.cancelledBy]);
      if (text !== seen) onChange(run);
      else if (run.counters.moved !== waitSaidAt && waitsForOutcomes(run)) {
        waitSaidAt = run.counters.moved;
        onNote(waitText(run));
      }
      seen = text;
      if (isOver(run.state) || now() >= deadlineAtMs) return run;
    } catch (error) {
      trouble += 1;
      if (!isPassing(error) || trouble >= MAX_TROUBLE) throw error;
    }
    const pause = wait(Math.min(pauseMs, Math.max(0, deadlineAtMs - now())));
    await Promise.race([pause, worker?.ended ?? pause]);
    worker?.rethrow();
  }
}

/** Whether a step of the ramp is moved and its outcome is what the run waits for. */
function waitsForOutcomes({ state, plan, counters, outcomesUnknown = 0 }: Wire<WatchedRun>) {
  if (state !== 'running' || outcomesUnknown === 0) return false;
  return stepBegins(counters.moved) || counters.moved >= plan.selected;
}

function waitText({ outcomesUnknown = 0 }: Wire<WatchedRun>): string {
  return `Waiting for the outcome of ${messages(outcomesUnknown)}, a minute at most.`;
}
