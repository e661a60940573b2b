/**
 * Spreads messages evenly: the n-th may leave `n / ratePerSecond` after the first. No burst is saved
 * up: after a pause (a ramp's wait) the count starts again.
 */
export class RateLimiter {
  readonly #intervalMs: number;
  #nextAtMs = 0;

  /** @param ratePerSecond undefined: no limit */
  constructor(ratePerSecond: number | undefined) {
    if (ratePerSecond !== undefined && !(ratePerSecond > 0)) {
      throw new RangeError(
        `ratePerSecond must be above 0, got ${ratePerSecond}; leave it out for no limit.`,
      );
    }
    this.#intervalMs = ratePerSecond === undefined ? 0 : 1000 / ratePerSecond;
  }

  /** Milliseconds until the next message may leave; taking it books its place. */
  take(nowMs: number): number {
    if (this.#intervalMs === 0) return 0;
    const atMs = Math.max(nowMs, this.#nextAtMs);
    this.#nextAtMs = atMs + this.#intervalMs;
    return atMs - nowMs;
  }
}
