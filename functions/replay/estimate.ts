import { STEP_PATIENCE_MS, steps } from './ramp.ts';

/** What a run without a rate manages at least, from benchmarks on two cores; a guess for a plan only. */
const UNLIMITED_PER_SECOND = 5_000;
/** A step of a ramp usually has its outcomes within this time. */
const TYPICAL_STEP_WAIT_MS = 5_000;
const SCAN_PER_SECOND = 20_000;

export interface Estimate {
  readonly scanned: number;
  readonly selected: number;
  readonly ramp: boolean;
  readonly ratePerSecond?: number;
}

/** How long a run would take when nothing goes wrong, in milliseconds. */
export function estimateMs({ scanned, selected, ramp, ratePerSecond }: Estimate): number {
  if (selected === 0) return 0;
  const perSecond = Math.min(ratePerSecond ?? UNLIMITED_PER_SECOND, UNLIMITED_PER_SECOND);
  const waits = ramp ? steps(selected, true).length : 0;
  const scanMs = (scanned / SCAN_PER_SECOND) * 1000;
  return Math.round(scanMs + (selected / perSecond) * 1000 + waits * TYPICAL_STEP_WAIT_MS);
}

/** The most a ramp can add by waiting for outcomes that never come. */
export function longestWaitMs(selected: number, ramp: boolean): number {
  return ramp ? steps(selected, true).length * STEP_PATIENCE_MS : 0;
}
