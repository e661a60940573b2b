import { TopologyError } from './errors.ts';

/** Units of a delay's name, largest first, in milliseconds. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/**
 * A delay as it appears in a queue's name, in the largest unit that divides it: `10s`, `5m`, `90s`,
 * `1500ms`, `1d`. The same delay always gives the same name, so a changed delay makes a new queue.
 * @throws TopologyError when `delayMs` is no whole number of milliseconds from 1 up.
 */
export function delayName(delayMs: number): string {
  if (!Number.isSafeInteger(delayMs) || delayMs < 1) {
    throw new TopologyError(
      'BAD_DELAY',
      `A delay must be a whole number of milliseconds from 1 up, got ${JSON.stringify(delayMs)}.`,
    );
  }
  for (const [unit, unitMs] of UNITS) {
    if (delayMs % unitMs === 0) return `${delayMs / unitMs}${unit}`;
  }
  return `${delayMs}ms`;
}

/** Where a message of `queue` waits `delayMs`: `orders.wait.10s`. */
export function waitQueueName(queue: string, delayMs: number): string {
  return `${queue}.wait.${delayName(delayMs)}`;
}

/** Where suspects of `queue` are read one at a time. */
export function isolatedQueueName(queue: string): string {
  return `${queue}.isolated`;
}

/** Where an isolated message waits; it comes back to isolation, not to the work queue. */
export function isolatedWaitQueueName(queue: string): string {
  return `${queue}.isolated.wait`;
}

/** Where messages of `queue` rest until somebody decides. */
export function parkedQueueName(queue: string): string {
  return `${queue}.parked`;
}

/** The exclusive queue whose existence says that one replay holds `queue`'s parking queue. */
export function parkedLockName(queue: string): string {
  return `${queue}.parked.lock`;
}
