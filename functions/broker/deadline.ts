/**
 * Gives `work` until `deadlineAtMs` (epoch milliseconds), then rejects with what `late` returns.
 * The work itself is not stopped; whatever it does later is ignored, a late rejection as well.
 */
export function withDeadline<T>(
  work: Promise<T>,
  deadlineAtMs: number,
  now: () => number,
  late: () => Error,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), timerDelayMs(deadlineAtMs - now()));
    const done = () => clearTimeout(timer);
    work.finally(done).then(resolve, reject);
  });
}

/**
 * One timer for many deadlines: set to the earliest, it asks its owner to look who is late.
 * A timer per publish would cost more than the publish.
 */
export class EarliestTimer {
  readonly #now: () => number;
  readonly #expire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #atMs = Number.POSITIVE_INFINITY;

  constructor(now: () => number, expire: () => void) {
    this.#now = now;
    this.#expire = expire;
  }

  /** Makes sure that `expire` is called at `atMs` (epoch milliseconds) or earlier. */
  arm(atMs: number): void {
    if (atMs >= this.#atMs) return;
    this.disarm();
    this.#atMs = atMs;
    this.#timer = setTimeout(
      () => {
        this.disarm();
        this.#expire();
      },
      timerDelayMs(atMs - this.#now()),
    );
  }

  disarm(): void {
    clearTimeout(this.#timer);
    this.#atMs = Number.POSITIVE_INFINITY;
  }
}

/** What `setTimeout` accepts: a longer wait than 2^31 − 1 ms would fire at once. */
function timerDelayMs(delayMs: number): number {
  return Math.min(Math.max(0, Math.ceil(delayMs)), 2_147_483_647);
}
