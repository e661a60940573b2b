import { setTimeout as sleep } from 'node:timers/promises';
import type { Wire } from '../../functions/replay/operations/answers.ts';
import type { WatchedRun } from '../../functions/replay/operations/watch.ts';
import type { Permission } from '../../functions/replay/operator.ts';
import { stepBegins } from '../../functions/replay/ramp.ts';
import { isOver } from '../../functions/replay/run-state.ts';
import type { Operator } from '../operator/operator.ts';
import { OperatorError } from '../operator/operator-error.ts';
import { messages } from './words.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/**
 * One request works on the run for so long; a function with less time stops before. Longer than a step of
 * a ramp waits for its outcome: a worker that takes over waits anew, and would never take the next step.
 */
export const WORK_MS = 120_000;
/** Answers that fail in a row before following is given up; the run goes on without it. */
const MAX_TROUBLE = 3;

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
  const worker = options.work ? new Worker(operator, options) : undefined;
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

/** Keeps asking the functions to work on the run, one request at a time. */
class Worker {
  readonly #operator: Operator;
  readonly #options: FollowOptions;
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;
  #busy = false;
  #over = false;
  #restUntilMs = 0;
  #trouble = 0;
  #error: unknown;
  #noted = '';

  constructor(operator: Operator, options: FollowOptions) {
    this.#operator = operator;
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  go(nowMs: number): void {
    if (this.#busy || this.#over || nowMs < this.#restUntilMs) return;
    this.#busy = true;
    void this.#work(nowMs).finally(() => {
      this.#busy = false;
    });
  }

  rethrow(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  async #work(nowMs: number): Promise<void> {
    const { run, onNote } = this.#options;
    try {
      const end = await this.#operator.ask('continue', { run, patienceMs: WORK_MS }, 'replay');
      this.#trouble = 0;
      if (end.kind === 'ended') return this.#end();
      // A function whose time was over has done what it could; the next one goes on at once.
      if (end.why.includes('time of this worker')) return;
      this.#restUntilMs = nowMs + LONGEST_PAUSE_MS;
      this.#note(end.why, onNote);
    } catch (error) {
      this.#restUntilMs = nowMs + LONGEST_PAUSE_MS;
      const code = error instanceof OperatorError ? error.code : undefined;
      // Somebody else is at it: watching is enough, until they stop.
      if (code === 'LOCK_HELD' || code === 'LEASE_LOST') {
        this.#note('Another worker is on this run; watching it.', onNote);
        return;
      }
      this.#trouble += 1;
      if (isPassing(error) && this.#trouble < MAX_TROUBLE) return;
      this.#error = error;
      this.#end();
    }
  }

  #end(): void {
    this.#over = true;
    this.#resolveEnded();
  }

  #note(text: string, say: (text: string) => void): void {
    if (text !== this.#noted) say(text);
    this.#noted = text;
  }
}

/** Trouble on the way, which the next request may not meet. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof OperatorError &&
    ['NETWORK', 'THROTTLED', 'FUNCTION_FAILED'].includes(error.code)
  );
}
