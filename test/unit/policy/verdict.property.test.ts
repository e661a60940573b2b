import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALLOWED_ACTIONS } from '../../../functions/policy/flow-defaults.ts';
import {
  chooseWait,
  laneDelays,
  nextLap,
  scheduledDelayMs,
} from '../../../functions/policy/schedule.ts';
import {
  type AttemptState,
  type ClassPolicy,
  FAILURE_CLASSES,
  type Failure,
  type FailureClass,
  type Flow,
} from '../../../functions/policy/types.ts';
import { decide } from '../../../functions/policy/verdict.ts';
import { arbitrarySchedule } from './arbitrary-schedule.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const DAY_MS = 86_400_000;

/** Numbers a stranger, a broken clock or a bug may hand in. */
const anyNumber = fc.oneof(
  fc.integer({ min: -5, max: 20 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e9),
);
const someTime = fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }).map(fromNow);
const anyTime = fc.oneof(someTime, fc.constant(new Date(Number.NaN)));

const policyFor = (name: FailureClass): fc.Arbitrary<ClassPolicy> =>
  fc.record({
    action: fc.constantFrom(...ALLOWED_ACTIONS[name]),
    maxRetries: fc.integer({ min: 1, max: 12 }),
    fromTier: fc.nat(6),
  });
const anyFlow = fc.record({
  schedule: arbitrarySchedule(),
  verdicts: fc.record(
    Object.fromEntries(FAILURE_CLASSES.map((name) => [name, policyFor(name)])),
  ) as fc.Arbitrary<Flow['verdicts']>,
});

const anyFailure: fc.Arbitrary<Failure> = fc
  .record(
    {
      class: fc.constantFrom(...FAILURE_CLASSES),
      retryAfterMs: anyNumber,
      explicit: fc.oneof(
        fc.record({ kind: fc.constant('retry' as const), afterMs: anyNumber }),
        fc.constantFrom({ kind: 'park' as const }, { kind: 'discard' as const }),
      ),
    },
    { requiredKeys: ['class'] },
  )
  .map((given) => ({ rule: 'r', signature: 's', name: 'Error', message: 'm', ...given }));

const anyState: fc.Arbitrary<AttemptState> = fc.record(
  { retryCount: anyNumber, firstAt: anyTime, deadline: anyTime },
  { requiredKeys: ['retryCount'] },
);
const drawn = fc.oneof(fc.double({ min: 0, max: 1, maxExcluded: true }), anyNumber);

function fromNow(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}

describe('decide, whatever it is given', () => {
  it('always has a verdict, and a retry always names a wait queue of the topology', () => {
    fc.assert(
      fc.property(anyFailure, anyState, anyFlow, drawn, (failure, state, flow, value) => {
        const verdict = decide(failure, state, flow, NOW, () => value);

        expect(['retry', 'park', 'discard', 'acknowledge']).toContain(verdict.kind);
        if (verdict.kind === 'retry') {
          expect(laneDelays(flow.schedule)).toContain(verdict.delayMs);
          expect(verdict.notBefore?.getTime()).not.toBeNaN();
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('loses nothing by itself: no copy is given up unless the flow or the handler said so', () => {
    fc.assert(
      fc.property(anyFailure, anyState, anyFlow, (failure, state, flow) => {
        const { kind } = decide(failure, state, flow, NOW, () => 0);

        if (kind === 'acknowledge') expect(failure.class).toBe('duplicate');
        if (kind === 'discard') {
          const said = [
            failure.explicit?.kind,
            flow.verdicts[failure.class].action,
            state.deadline && flow.verdicts.stale.action,
          ];
          expect(said).toContain('discard');
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('ends: a message that always fails runs at most maxAttempts times, within maxElapsed', () => {
    const failures = fc.array(anyFailure, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(failures, anyFlow, drawn, (list, flow, value) => {
        let now = NOW.getTime();
        let runs = 0;
        for (let retryCount = 0; ; retryCount += 1) {
          runs += 1;
          const failure = list[retryCount % list.length];
          if (failure === undefined) break;
          const state = { retryCount, firstAt: NOW };
          const verdict = decide(failure, state, flow, new Date(now), () => value);
          if (verdict.kind !== 'retry') break;
          now += verdict.delayMs;
          let lapMs = nextLap(verdict.notBefore, new Date(now), flow.schedule);
          while (lapMs !== undefined) {
            now += lapMs;
            lapMs = nextLap(verdict.notBefore, new Date(now), flow.schedule);
          }
          expect(now).toBeLessThanOrEqual(NOW.getTime() + flow.schedule.maxElapsedMs);
        }

        expect(runs).toBeLessThanOrEqual(flow.schedule.maxAttempts);
      }),
      { numRuns: 500 },
    );
  });

  it('never brings a message back after its deadline', () => {
    fc.assert(
      fc.property(anyFailure, someTime, anyFlow, (failure, deadline, flow) => {
        const verdict = decide(failure, { retryCount: 0, deadline }, flow, NOW, () => 0);

        if (verdict.kind !== 'retry') return;
        const returnsMs = Math.max(
          NOW.getTime() + verdict.delayMs,
          verdict.notBefore?.getTime() ?? 0,
        );
        expect(returnsMs).toBeLessThan(deadline.getTime());
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives the same verdict for the same input', () => {
    fc.assert(
      fc.property(anyFailure, anyState, anyFlow, drawn, (failure, state, flow, value) => {
        const decideIt = () => decide(failure, state, flow, NOW, () => value);

        expect(decideIt()).toEqual(decideIt());
      }),
    );
  });
});

describe('chooseWait, whatever it is given', () => {
  const retry = fc.integer({ min: 1, max: 12 });
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('only lengthens by jitter', () => {
    fc.assert(
      fc.property(arbitrarySchedule(), retry, unit, (schedule, number, value) => {
        const plain = { ...schedule, jitter: { lanes: 1, spread: 0 } };
        const wanted = { retry: number };

        const { delayMs } = chooseWait(schedule, wanted, NOW, () => value);
        const withoutJitter = chooseWait(plain, wanted, NOW, () => value).delayMs;

        expect(withoutJitter).toBe(scheduledDelayMs(schedule, number));
        expect(delayMs).toBeGreaterThanOrEqual(withoutJitter);
      }),
    );
  });

  it('never shortens a Retry-After, except to maxRetryAfter', () => {
    const floor = fc.integer({ min: 0, max: 20_000_000 });
    fc.assert(
      fc.property(arbitrarySchedule(), retry, floor, unit, (schedule, number, floorMs, value) => {
        const wait = chooseWait(schedule, { retry: number, floorMs }, NOW, () => value);

        const honouredMs = Math.min(floorMs, schedule.maxRetryAfterMs);
        const earliest = wait.notBefore ?? fromNow(wait.delayMs);
        expect(earliest.getTime()).toBeGreaterThanOrEqual(NOW.getTime() + honouredMs);
        expect(wait.returnsAt.getTime()).toBeGreaterThanOrEqual(earliest.getTime());
      }),
    );
  });

  it('uses every lane', () => {
    fc.assert(
      fc.property(arbitrarySchedule(), (schedule) => {
        const lanes = schedule.jitter.lanes;
        const used = Array.from({ length: lanes }, (_, lane) => {
          return chooseWait(schedule, { retry: 1 }, NOW, () => (lane + 0.5) / lanes).delayMs;
        });

        expect(new Set(used).size).toBe(lanes);
      }),
    );
  });
});
