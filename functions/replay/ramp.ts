/** Sizes of the steps of a ramp: 1, 10, 100, … until the whole is moved. */
const FACTOR = 10;

/** How long a step waits for the outcome of its messages before the next one starts anyway. */
export const STEP_PATIENCE_MS = 60_000;

/** Size of step `index` (0-based) when `left` messages remain. Without a ramp the first step is everything. */
export function stepSize(index: number, left: number, ramp: boolean): number {
  return Math.min(left, ramp ? FACTOR ** index : Number.POSITIVE_INFINITY);
}

/** All steps of a run over `total` messages. */
export function steps(total: number, ramp: boolean): readonly number[] {
  const sizes: number[] = [];
  for (let left = total; left > 0; left -= sizes.at(-1) ?? left) {
    sizes.push(stepSize(sizes.length, left, ramp));
  }
  return sizes;
}

/** The step a run is in that has moved `moved` messages, and how many that step may still move. */
export function stepAt(moved: number, ramp: boolean): { index: number; left: number } {
  if (!ramp) return { index: 0, left: Number.POSITIVE_INFINITY };
  let index = 0;
  let end = 1;
  while (moved >= end) {
    index += 1;
    end += FACTOR ** index;
  }
  return { index, left: end - moved };
}

/** Whether a run that has moved `moved` messages is at the end of one step and the beginning of the next. */
export function stepBegins(moved: number): boolean {
  const { index, left } = stepAt(moved, true);
  return left === FACTOR ** index;
}

/** What the consumers reported of the messages a run has moved so far. */
export interface Outcomes {
  readonly well: number;
  /** Ids of messages that failed again, the first few. */
  readonly failed: readonly string[];
}

export type StepAnswer = 'wait' | 'go-on' | 'halt';

/** May the next step start? Any message that failed again halts; else all are known, or 60 s are over. */
export function afterStep(outcomes: Outcomes, moved: number, waitedMs: number): StepAnswer {
  if (outcomes.failed.length > 0) return 'halt';
  return outcomes.well >= moved || waitedMs >= STEP_PATIENCE_MS ? 'go-on' : 'wait';
}
