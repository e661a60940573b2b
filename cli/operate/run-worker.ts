import type { Operator } from '../operator/operator.ts';
import { OperatorError } from '../operator/operator-error.ts';

/**
 * One request works on the run for so long; a function with less time stops before. Longer than a step of
 * a ramp waits for its outcome: a worker that takes over waits anew, and would never take the next step.
 */
export const WORK_MS = 120_000;
/** Answers that fail in a row before following is given up; the run goes on without it. */
export const MAX_TROUBLE = 3;
/** Between two requests when somebody else works on the run, or something stands in the way. */
const REST_MS = 5_000;

export interface RunWork {
  readonly run: string;
  /** Something a person should know while waiting. */
  readonly onNote: (text: string) => void;
}

/** Keeps asking the functions to work on the run, one request at a time. */
export class RunWorker {
  readonly #operator: Operator;
  readonly #options: RunWork;
  readonly ended: Promise<void>;
  #resolveEnded: () => void = () => undefined;
  #busy = false;
  #over = false;
  #restUntilMs = 0;
  #trouble = 0;
  #error: unknown;
  #noted = '';

  constructor(operator: Operator, options: RunWork) {
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
      this.#restUntilMs = nowMs + REST_MS;
      this.#note(end.why, onNote);
    } catch (error) {
      this.#restUntilMs = nowMs + REST_MS;
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
export function isPassing(error: unknown): boolean {
  return (
    error instanceof OperatorError &&
    ['NETWORK', 'THROTTLED', 'FUNCTION_FAILED'].includes(error.code)
  );
}
