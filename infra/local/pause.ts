import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; rejects with the signal's reason when that aborts first. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
