import { type GuardAnswer, HOLDS, refuses } from './types.ts';

/** Holds while fewer than `batch` messages were taken for this run. */
export function batch(taken: number, size: number): GuardAnswer {
  return taken < size ? HOLDS : refuses('batch', `${size} messages are the most of one run`);
}
