export interface UntilOptions {
  /** How long to wait in all, in milliseconds. Default 5 s. */
  readonly timeoutMs?: number;
  /** Pause between looks, in milliseconds. Default 10 ms. */
  readonly intervalMs?: number;
}

/**
 * Waits until `look` gives something other than undefined, false or null, and returns it.
 * Fails with `what` after the time limit, so that a test never hangs and never sleeps blindly.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const timeoutMs = options.timeoutMs ?? 5_000;
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) {
      return found as NonNullable<Exclude<T, false>>;
    }
    if (performance.now() >= endMs) throw new Error(`Not within ${timeoutMs} ms: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, options.intervalMs ?? 10));
  }
}
