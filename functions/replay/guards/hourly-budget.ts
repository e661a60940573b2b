import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

/** Holds while another message fits the budget: `used` in the past hour, `taken` since then. */
export function hourlyBudget(used: Reading<number>, taken: number, budget: number): GuardAnswer {
  return judged('hourly-budget', used, (value) =>
    value + taken < budget
      ? HOLDS
      : refuses('hourly-budget', `${value + taken} of ${budget} messages moved within an hour`),
  );
}
