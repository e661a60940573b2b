import fc from 'fast-check';
import type { Schedule } from '../../../functions/policy/types.ts';

/** Schedules as `defineFlow` makes them: any order of delays, with and without lanes. */
export function arbitrarySchedule(): fc.Arbitrary<Schedule> {
  return fc
    .record({
      delaysMs: fc.array(fc.integer({ min: 100, max: 3_600_000 }), { minLength: 1, maxLength: 6 }),
      more: fc.nat(5),
      maxElapsedMs: fc.integer({ min: 1_000, max: 86_400_000 }),
      maxRetryAfterMs: fc.integer({ min: 1_000, max: 7_200_000 }),
      jitter: fc.record({ lanes: fc.integer({ min: 1, max: 4 }), spread: fc.constant(0.1) }),
    })
    .map(({ more, ...rest }) => ({ ...rest, maxAttempts: rest.delaysMs.length + 1 + more }));
}
