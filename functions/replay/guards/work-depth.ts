import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

/** Holds while the work queue has at most `ceiling` messages: replay must not delay fresh work. */
export function workDepth(depth: Reading<number>, ceiling: number): GuardAnswer {
  return judged('work-depth', depth, (value) =>
    // Written so that NaN refuses.
    value <= ceiling
      ? HOLDS
      : refuses('work-depth', `${value} messages in the work queue, the ceiling is ${ceiling}`),
  );
}
