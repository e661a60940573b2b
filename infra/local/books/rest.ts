import { pause } from '../pause.ts';
import type { Books } from './reckon.ts';

export interface RestOptions {
  /** Ready messages in all queues but the parking queues. */
  readonly ready: () => Promise<number>;
  /** Messages in the same queues in any state, by flow; undefined where nobody can tell. */
  readonly totals: () => Promise<ReadonlyMap<string, number> | undefined>;
  /** Whether a poller holds a message or a function runs. */
  readonly busy: () => boolean;
  /**
   * Waits until automatic replay has nothing to take; true when it moved something meanwhile, so that the
   * flows are at work again. Absent where nothing replays by itself.
   */
  readonly replayed?: () => Promise<boolean>;
  /** Reads the parking queues and balances the books. */
  readonly reckon: (inFlight: ReadonlyMap<string, number>) => Promise<Books>;
  /** Told once when the queues look empty and messages are still missing. */
  readonly onHidden: (missing: number) => void;
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 200;

/** How long everything has to look empty: a message on its way between two queues shows in neither. */
const QUIET_MS = 600;

/** The management API's figures are up to 5 seconds old; two of them in a row are certain. */
const STALE_FIGURES_MS = 12_000;

/** An at-least-once wait queue that was stalled starts again after about 3 minutes, and AMQP can't see it. */
const STALLED_WAIT_MS = 200_000;

/**
 * Waits until the flows are at rest and gives the books.
 *
 * At rest: no ready message outside the parking queues, nothing held by a poller, no invocation, for
 * a while; nothing parked that automatic replay would still take; and the management API, where there is
 * one, agrees. When messages are missing although all
 * looks empty, they may be inside a wait queue, so the wait goes on as long as that can take.
 */
export async function booksAtRest(options: RestOptions): Promise<Books> {
  let hiddenSinceMs: number | undefined;
  for (;;) {
    if (await quiet(options)) hiddenSinceMs = undefined;
    if (await options.replayed?.()) continue;
    const totals = await options.totals();
    const books = await options.reckon(totals ?? new Map());
    if (books.balanced) return books;

    const nowMs = Date.now();
    if (hiddenSinceMs === undefined) {
      hiddenSinceMs = nowMs;
      if (totals === undefined && books.lost > 0) options.onHidden(books.lost);
    }
    const known = totals !== undefined && books.inFlight === 0;
    const patienceMs = known ? STALE_FIGURES_MS : STALLED_WAIT_MS;
    if (nowMs - hiddenSinceMs > patienceMs) return books;
    await pause(LOOK_EVERY_MS * 5, options.signal);
  }
}

/** Resolves when all looks empty for a while; true when something moved meanwhile. */
async function quiet({ ready, busy, signal }: RestOptions): Promise<boolean> {
  let moved = false;
  let sinceMs: number | undefined;
  for (;;) {
    const empty = !busy() && (await ready()) === 0 && !busy();
    if (!empty) {
      sinceMs = undefined;
      moved = true;
    } else if (sinceMs === undefined) sinceMs = Date.now();
    else if (Date.now() - sinceMs >= QUIET_MS) return moved;
    await pause(LOOK_EVERY_MS, signal);
  }
}
