import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateMs, longestWaitMs } from '../../../functions/replay/estimate.ts';
import {
  afterStep,
  STEP_PATIENCE_MS,
  stepAt,
  stepBegins,
  stepSize,
  steps,
} from '../../../functions/replay/ramp.ts';
import { RateLimiter } from '../../../functions/replay/rate-limiter.ts';

describe('the ramp', () => {
  it.each([
    [0, []],
    [1, [1]],
    [5, [1, 4]],
    [11, [1, 10]],
    [12, [1, 10, 1]],
    [1_000, [1, 10, 100, 889]],
  ])('moves %d messages in steps of %j', (total, expected) => {
    expect(steps(total, true)).toEqual(expected);
  });

  it('is one step when it is switched off', () => {
    expect(steps(20_000, false)).toEqual([20_000]);
    expect(stepSize(3, 7, false)).toBe(7);
  });

  it.each([
    [0, { index: 0, left: 1 }],
    [1, { index: 1, left: 10 }],
    [10, { index: 1, left: 1 }],
    [11, { index: 2, left: 100 }],
    [110, { index: 2, left: 1 }],
    [111, { index: 3, left: 1_000 }],
  ])('is found again by a run that is adopted after %d messages', (moved, expected) => {
    expect(stepAt(moved, true)).toEqual(expected);
  });

  it('adopted anywhere, goes on with the steps it would have had', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5_000 }),
        fc.integer({ min: 1, max: 200 }),
        (at, left) => {
          const whole = steps(at + left, true);
          let sum = 0;
          const index = whole.findIndex((size) => {
            sum += size;
            return sum > at;
          });
          expect(stepAt(at, true).index).toBe(index);
        },
      ),
    );
  });

  it.each([
    [0, true],
    [1, true],
    [2, false],
    [11, true],
    [12, false],
    [110, false],
    [111, true],
  ])('after %d messages a step begins: %s', (moved, expected) => {
    expect(stepBegins(moved)).toBe(expected);
  });

  it('has no steps to find without a ramp', () => {
    expect(stepAt(500, false).left).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('after a step', () => {
  it.each([
    ['all ended well', 11, [], 100, 'go-on'],
    ['some are not known yet', 10, [], 100, 'wait'],
    ['some are not known after 60 s', 3, [], STEP_PATIENCE_MS, 'go-on'],
    ['some are not known just before 60 s', 3, [], STEP_PATIENCE_MS - 1, 'wait'],
    ['one failed again', 10, ['m-1'], 100, 'halt'],
    ['one failed again and the time is over', 10, ['m-1'], STEP_PATIENCE_MS, 'halt'],
  ] as const)('%s', (_name, well, failed, waitedMs, expected) => {
    expect(afterStep({ well, failed }, 11, waitedMs)).toBe(expected);
  });
});

describe('the rate limiter', () => {
  it('lets the first go at once and spreads the others evenly', () => {
    const limiter = new RateLimiter(10);

    expect([0, 0, 0, 0].map((now) => limiter.take(now))).toEqual([0, 100, 200, 300]);
  });

  it('saves up no burst during a pause', () => {
    const limiter = new RateLimiter(10);
    limiter.take(0);

    expect(limiter.take(60_000)).toBe(0);
    expect(limiter.take(60_000)).toBe(100);
  });

  it('never lets more than rate × time + 1 through, whenever it is asked', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 200 }), (pauses, perSecond) => {
        const limiter = new RateLimiter(perSecond);
        let now = 0;
        const leftAt: number[] = [];
        for (const pause of pauses) {
          now += pause;
          now += limiter.take(now);
          leftAt.push(now);
        }
        const first = leftAt[0] ?? 0;
        leftAt.forEach((at, n) => {
          expect(n).toBeLessThanOrEqual(((at - first) * perSecond) / 1000 + 1e-6);
        });
      }),
    );
  });

  it('without a rate never waits', () => {
    const limiter = new RateLimiter(undefined);

    expect(Array.from({ length: 100 }, () => limiter.take(0)).every((wait) => wait === 0)).toBe(
      true,
    );
  });

  it.each([0, -1, Number.NaN])('refuses a rate of %d', (perSecond) => {
    expect(() => new RateLimiter(perSecond)).toThrow('ratePerSecond must be above 0');
  });
});

describe('the estimate', () => {
  it('is 0 for nothing', () => {
    expect(estimateMs({ scanned: 50_000, selected: 0, ramp: true })).toBe(0);
  });

  it('grows with the rate limit and the steps of the ramp', () => {
    const plain = estimateMs({ scanned: 1_000, selected: 1_000, ramp: false });
    const ramped = estimateMs({ scanned: 1_000, selected: 1_000, ramp: true });
    const slow = estimateMs({ scanned: 1_000, selected: 1_000, ramp: false, ratePerSecond: 10 });

    expect(ramped).toBeGreaterThan(plain);
    expect(slow).toBeGreaterThanOrEqual(100_000);
  });

  it('states what the ramp may add at worst: a minute after each step', () => {
    expect(longestWaitMs(111, true)).toBe(180_000);
    expect(longestWaitMs(111, false)).toBe(0);
    expect(longestWaitMs(0, true)).toBe(0);
  });
});
