import { type GuardAnswer, HOLDS, refuses } from './types.ts';

/** Messages that `ratePerSecond` lets through in `availableMs`; one at least when the rate is above 0. */
export function allowedByRate(ratePerSecond: number, availableMs: number): number {
  if (!(ratePerSecond > 0) || !(availableMs > 0)) return 0;
  return Math.max(1, Math.floor((ratePerSecond * availableMs) / 1000));
}

/** Holds while the rate lets another message through in the time the run has. */
export function rate(taken: number, ratePerSecond: number, availableMs: number): GuardAnswer {
  const allowed = allowedByRate(ratePerSecond, availableMs);
  if (taken < allowed) return HOLDS;
  return refuses(
    'rate',
    `${allowed} messages are what ${ratePerSecond}/s allows in this run's time`,
  );
}
