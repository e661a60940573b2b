import { pause } from './pause.ts';

export interface KillerOptions {
  readonly times: number;
  /** Messages the run is about; kills are spread over the first part of them. */
  readonly messages: number;
  /** Effects the downstreams accepted so far. */
  readonly accepted: () => number;
  /** Kills a function that is running just now; false when none is. */
  readonly kill: () => boolean;
  readonly onKill: (number: number) => void;
  readonly signal: AbortSignal;
}

/** Kills come in the first part of the run, where batches are full. */
const KILLED_PART = 0.6;
const LOOK_EVERY_MS = 5;

/** Kills the function in mid-run, `times` times, spread by progress. Resolves with the last kill. */
export async function runKiller(options: KillerOptions): Promise<void> {
  const { times, messages, signal } = options;
  for (let number = 1; number <= times; number++) {
    const from = (messages * KILLED_PART * number) / (times + 1);
    while (options.accepted() < from || !options.kill()) await pause(LOOK_EVERY_MS, signal);
    options.onKill(number);
  }
}
