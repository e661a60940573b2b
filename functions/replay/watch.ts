import type { Stop } from './stop.ts';
import type { Work } from './work.ts';

const LOOK_MS = 1_000;
/** Nothing is published on knowledge older than this. */
const STALE_MS = 3 * LOOK_MS;
const RENEW_MS = 15_000;

/**
 * Looks once a second, while messages move, whether the run is to stop: cancelled by a person, a message
 * of it failed again, or the lease went to another worker. Also tells how far the run is.
 */
export class Watch {
  readonly #work: Work;
  readonly #stop: Stop;
  /** When the last look that was answered began. */
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #renewedAtMs: number;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(work: Work, stop: Stop) {
    this.#work = work;
    this.#stop = stop;
    this.#renewedAtMs = work.ports.now();
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** Before each chunk: waits for a look when the last one is too long ago, as after a freeze. */
  async fresh(): Promise<void> {
    if (this.#work.ports.now() - this.#knownAtMs >= STALE_MS) await this.look();
  }

  /** Looks, unless a look is under way; then waits for that one. Never rejects. */
  async look(): Promise<void> {
    const nowMs = this.#work.ports.now();
    this.#looking ??= this.#ask(nowMs)
      .then(() => {
        this.#knownAtMs = nowMs;
      })
      .catch((error: unknown) => this.#stop.because({ kind: 'trouble', error }))
      .finally(() => {
        this.#looking = undefined;
      });
    await this.#looking;
  }

  async #ask(nowMs: number): Promise<void> {
    const { ports, lease, progress, run } = this.#work;
    const { runs, leases, outcomes } = ports.store;
    const [{ cancelledBy }, known] = await Promise.all([
      runs.report(lease, progress.standing()),
      run.plan.action === 'replay' ? outcomes.of(run.id) : { failed: [] },
    ]);
    if (nowMs - this.#renewedAtMs >= RENEW_MS) {
      await leases.renew(lease, nowMs);
      this.#renewedAtMs = nowMs;
    }
    if (cancelledBy !== undefined) {
      this.#stop.because({ kind: 'end', state: 'cancelled', why: `cancelled by ${cancelledBy}` });
    }
    const [first] = known.failed;
    if (first !== undefined) this.#stop.because(regression(known.failed));
  }
}

/** The end of a run whose messages fail again. */
export function regression(failed: readonly string[]) {
  const more = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
  return {
    kind: 'end',
    state: 'halted',
    why: `failed again after the replay: ${failed[0]}${more}`,
  } as const;
}
