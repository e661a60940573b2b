import { setTimeout as wait } from 'node:timers/promises';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export interface RetryUntilOptions {
  /** Epoch milliseconds after which the last error is thrown. */
  readonly untilMs: number;
  readonly now: () => number;
  /** False ends the tries at once; default: every error is worth another try. */
  readonly isRetryable?: (error: unknown) => boolean;
  readonly onError?: (error: unknown) => void;
  /** True for an operation that ends by `untilMs` of its own accord. Default false. */
  readonly endsByItself?: boolean;
}

/** Time was over while an operation had not answered. Whether it took effect is not known. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
  readonly code = 'OUT_OF_TIME';
}

/**
 * Tries again, with growing pauses, for trouble of the product's own. Ends by `untilMs` at the
 * latest, even when an operation never answers; throws the last error then.
 */
export function retryUntil<T>(
  what: string,
  operation: () => Promise<T>,
  options: RetryUntilOptions,
): Promise<T> {
  const once = () => tryOnce(what, operation, options);
  // Nearly always the first try is the only one, and costs no more than itself.
  return once().catch((error: unknown) => tryAgain(once, error, options));
}

function tryOnce<T>(
  what: string,
  operation: () => Promise<T>,
  { untilMs, now, endsByItself }: RetryUntilOptions,
): Promise<T> {
  if (!endsByItself) return before(untilMs - now(), what, operation);
  try {
    return operation();
  } catch (error) {
    return Promise.reject(error);
  }
}

async function tryAgain<T>(
  once: () => Promise<T>,
  firstError: unknown,
  { untilMs, now, isRetryable = () => true, onError }: RetryUntilOptions,
): Promise<T> {
  let error = firstError;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    onError?.(error);
    if (!isRetryable(error) || now() + waitMs >= untilMs) throw error;
    await wait(waitMs);
    try {
      return await once();
    } catch (next) {
      error = next;
    }
  }
}

async function before<T>(leftMs: number, what: string, operation: () => Promise<T>): Promise<T> {
  if (leftMs <= 0) throw new OutOfTimeError(`No time was left to ${what}.`);
  let timer: NodeJS.Timeout | undefined;
  const outOfTime = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new OutOfTimeError(`No answer in time to ${what}; it may have taken effect.`)),
      leftMs,
    );
  });
  try {
    return await Promise.race([operation(), outOfTime]);
  } finally {
    clearTimeout(timer);
  }
}
