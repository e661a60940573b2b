/** How long a handler may still answer after its signal was aborted, in milliseconds. */
const GRACE_MS = 250;

export type AttemptEnd = { readonly ok: true } | { readonly ok: false; readonly thrown: unknown };

/** The handler's time was over; classed as transient, since the call was cancelled by us. */
export class HandlerTimeoutError extends Error {
  override readonly name = 'HandlerTimeoutError';
  readonly code = 'LAYOVER_HANDLER_TIMEOUT';
}

/**
 * Runs a handler once and never throws. At `timeoutMs` its signal aborts; a handler that ignores the
 * signal is given up a moment later and may still be running then, which only a downstream that
 * honours the idempotency key makes harmless.
 */
export function runAttempt(
  handle: (signal: () => AbortSignal) => unknown | Promise<unknown>,
  timeoutMs: number,
): Promise<AttemptEnd> {
  let controller: AbortController | undefined;
  /** Made when first asked for: many handlers never look at it. */
  const control = () => {
    controller ??= new AbortController();
    return controller;
  };
  // One promise that whoever is first resolves: a race would make several for every message.
  return new Promise((resolve) => {
    let timer = setTimeout(() => {
      const reason = new HandlerTimeoutError(
        `The handler did not finish within ${timeoutMs} ms; its signal was aborted.`,
      );
      control().abort(reason);
      timer = setTimeout(resolve, GRACE_MS, { ok: false, thrown: reason });
    }, timeoutMs);
    const run = async () => {
      // Also catches what a synchronous handler throws.
      try {
        await handle(() => control().signal);
        resolve({ ok: true });
      } catch (thrown) {
        resolve({ ok: false, thrown: cancelledByUs(controller?.signal, thrown) });
      } finally {
        clearTimeout(timer);
      }
    };
    void run();
  });
}

/** An abort that our own signal caused is our timeout, whatever the library made of it. */
function cancelledByUs(signal: AbortSignal | undefined, thrown: unknown): unknown {
  if (!signal?.aborted || thrown === signal.reason) return thrown;
  return isAbort(thrown)
    ? new HandlerTimeoutError((signal.reason as Error).message, { cause: thrown })
    : thrown;
}

function isAbort(thrown: unknown): boolean {
  try {
    const { name, code } = thrown as { name?: unknown; code?: unknown };
    return (
      name === 'AbortError' ||
      name === 'TimeoutError' ||
      code === 'ABORT_ERR' ||
      code === 'ERR_CANCELED'
    );
  } catch {
    return false;
  }
}
