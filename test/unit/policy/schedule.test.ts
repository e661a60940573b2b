import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chooseWait,
  DEFERRAL_DELAY_MS,
  deferralDelayMs,
  laneDelays,
  nextLap,
  returnsTooLate,
  scheduledDelayMs,
  topDelayMs,
  totalWaitMs,
} from '../../../functions/policy/schedule.ts';
import type { Schedule } from '../../../functions/policy/types.ts';
import { arbitrarySchedule } from './arbitrary-schedule.ts';
import { givenFlow } from './given-flow.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const STANDARD = givenFlow().schedule;
const JITTERED = givenFlow({ schedule: { jitter: true } }).schedule;

const later = (ms: number) => new Date(NOW.getTime() + ms);
const lowest = () => 0;

function given(changes: Partial<Schedule>): Schedule {
  return { ...STANDARD, ...changes };
}

describe('scheduledDelayMs', () => {
  it.each([
    [1, 10 * SECOND_MS],
    [2, MINUTE_MS],
    [3, 5 * MINUTE_MS],
    [4, 30 * MINUTE_MS],
    [5, 30 * MINUTE_MS],
    [99, 30 * MINUTE_MS],
  ])('gives retry %d its place in the list, and the last delay repeats', (retry, delayMs) => {
    expect(scheduledDelayMs(STANDARD, retry)).toBe(delayMs);
  });

  it.each([
    [1, 1, MINUTE_MS],
    [2, 1, 5 * MINUTE_MS],
    [4, 1, 30 * MINUTE_MS],
    [1, 9, 30 * MINUTE_MS],
  ])('starts retry %d at tier %d when told to', (retry, fromTier, delayMs) => {
    expect(scheduledDelayMs(STANDARD, retry, fromTier)).toBe(delayMs);
  });

  it('falls back to the last delay where there is only one', () => {
    expect(scheduledDelayMs(given({ delaysMs: [500] }), 1, 1)).toBe(500);
  });

  it('has a wait even for a schedule without any', () => {
    expect(scheduledDelayMs(given({ delaysMs: [] }), 1)).toBe(DEFERRAL_DELAY_MS);
    expect(topDelayMs(given({ delaysMs: [] }))).toBe(DEFERRAL_DELAY_MS);
  });
});

describe('chooseWait', () => {
  it('waits what the list says, and says when the message returns', () => {
    expect(chooseWait(STANDARD, { retry: 2 }, NOW, lowest)).toEqual({
      delayMs: MINUTE_MS,
      returnsAt: later(MINUTE_MS),
    });
  });

  it.each([
    [0, 10 * SECOND_MS],
    [9 * SECOND_MS, 10 * SECOND_MS],
    [10 * SECOND_MS, 10 * SECOND_MS],
    [10 * SECOND_MS + 1, MINUTE_MS],
    [90 * SECOND_MS, 5 * MINUTE_MS],
    [30 * MINUTE_MS, 30 * MINUTE_MS],
  ])('case 16: takes the smallest tier that honours a Retry-After of %d ms', (floorMs, delayMs) => {
    expect(chooseWait(STANDARD, { retry: 1, floorMs }, NOW, lowest)).toEqual({
      delayMs,
      returnsAt: later(delayMs),
    });
  });

  it('case 16: clamps a Retry-After of 99999999 seconds to the top tier', () => {
    const wait = chooseWait(STANDARD, { retry: 1, floorMs: 99_999_999_000 }, NOW, lowest);

    expect(wait).toEqual({ delayMs: 30 * MINUTE_MS, returnsAt: later(30 * MINUTE_MS) });
  });

  it('clamps Retry-After to a smaller limit, yet never below the schedule', () => {
    const schedule = given({ maxRetryAfterMs: 20 * SECOND_MS });
    const wanted = (retry: number) => ({ retry, floorMs: 3_600 * SECOND_MS });

    expect(chooseWait(schedule, wanted(1), NOW, lowest).delayMs).toBe(MINUTE_MS);
    expect(chooseWait(schedule, wanted(3), NOW, lowest).delayMs).toBe(5 * MINUTE_MS);
  });

  it.each([[Number.NaN], [-5_000], [undefined]])(
    'case 16: treats a Retry-After of %o as absent',
    (floorMs) => {
      expect(chooseWait(STANDARD, { retry: 1, floorMs }, NOW, lowest).delayMs).toBe(10 * SECOND_MS);
    },
  );

  it('laps through the top tier for longer waits, until notBefore', () => {
    const schedule = given({ maxRetryAfterMs: 24 * 60 * MINUTE_MS });

    const wait = chooseWait(schedule, { retry: 1, floorMs: 95 * MINUTE_MS }, NOW, lowest);

    // Three laps of 30 minutes, then the smallest tier that covers the last five.
    expect(wait).toEqual({
      delayMs: 30 * MINUTE_MS,
      notBefore: later(95 * MINUTE_MS),
      returnsAt: later(95 * MINUTE_MS),
    });
  });

  it("takes the handler's own wait instead of the list's, shorter or longer, not clamped", () => {
    const of = (insteadMs: number) => chooseWait(STANDARD, { retry: 4, insteadMs }, NOW, lowest);

    expect(of(0).delayMs).toBe(10 * SECOND_MS);
    expect(of(5_000).delayMs).toBe(10 * SECOND_MS);
    expect(of(5 * MINUTE_MS).delayMs).toBe(5 * MINUTE_MS);
    expect(of(60 * MINUTE_MS)).toEqual({
      delayMs: 30 * MINUTE_MS,
      notBefore: later(60 * MINUTE_MS),
      returnsAt: later(60 * MINUTE_MS),
    });
    expect(of(Number.NaN).delayMs).toBe(30 * MINUTE_MS);
  });

  it("keeps Retry-After as a floor under the handler's own wait", () => {
    const wanted = { retry: 1, insteadMs: 5_000, floorMs: 2 * MINUTE_MS };

    expect(chooseWait(STANDARD, wanted, NOW, lowest).delayMs).toBe(5 * MINUTE_MS);
  });

  it.each([
    [0, 10_000],
    [0.34, 11_000],
    [0.67, 12_000],
    [0.999, 12_000],
    [1, 10_000],
    [-0.1, 10_000],
    [Number.NaN, 10_000],
  ])('with %d drawn, jitter picks the lane of %d ms', (drawn, delayMs) => {
    expect(chooseWait(JITTERED, { retry: 1 }, NOW, () => drawn).delayMs).toBe(delayMs);
  });

  it('draws no random number without jitter', () => {
    const random = () => {
      throw new Error('drawn');
    };

    expect(chooseWait(STANDARD, { retry: 1 }, NOW, random).delayMs).toBe(10 * SECOND_MS);
  });

  it('picks tiers by size, whatever their order in the list', () => {
    const schedule = given({ delaysMs: [60_000, 1_000, 30_000], maxRetryAfterMs: 60_000 });
    const of = (floorMs: number) => chooseWait(schedule, { retry: 2, floorMs }, NOW, lowest);

    expect(of(0).delayMs).toBe(1_000);
    expect(of(2_000).delayMs).toBe(30_000);
    expect(of(31_000).delayMs).toBe(60_000);
  });

  it('says of a wait without end that it never returns', () => {
    const wait = chooseWait(
      STANDARD,
      { retry: 1, insteadMs: Number.POSITIVE_INFINITY },
      NOW,
      lowest,
    );

    expect(returnsTooLate(STANDARD, undefined, NOW, wait.returnsAt)).toBe(true);
  });
});

describe('nextLap', () => {
  it.each([
    [1, 10 * SECOND_MS],
    [10 * SECOND_MS, 10 * SECOND_MS],
    [30 * SECOND_MS, MINUTE_MS],
    [6 * MINUTE_MS, 30 * MINUTE_MS],
    [300 * MINUTE_MS, 30 * MINUTE_MS],
  ])('with %d ms to go, laps through the tier of %d ms', (restMs, delayMs) => {
    expect(nextLap(later(restMs), NOW, STANDARD)).toBe(delayMs);
  });

  it.each([[later(0)], [later(-1)], [undefined], [new Date(Number.NaN)]])(
    'is over at %o',
    (notBefore) => {
      expect(nextLap(notBefore, NOW, STANDARD)).toBeUndefined();
    },
  );

  it('ends, and never before notBefore, just when chooseWait said', () => {
    fc.assert(
      fc.property(arbitrarySchedule(), fc.nat(30_000), fc.float(), (schedule, permille, drawn) => {
        // Up to thirty laps of the top tier.
        const ms = Math.floor((Math.max(...schedule.delaysMs) * permille) / 1_000);
        const wait = chooseWait(schedule, { retry: 1, insteadMs: ms }, NOW, () => drawn);
        let at = NOW.getTime() + wait.delayMs;
        for (let laps = 0; ; laps += 1) {
          const lapMs = nextLap(wait.notBefore, new Date(at), schedule);
          if (lapMs === undefined) break;
          expect(laneDelays(schedule)).toContain(lapMs);
          expect(laps).toBeLessThan(ms / Math.min(...schedule.delaysMs) + 2);
          at += lapMs;
        }

        expect(at).toBe(wait.returnsAt.getTime());
        expect(at).toBeGreaterThanOrEqual(NOW.getTime() + ms);
      }),
    );
  });
});

describe('returnsTooLate', () => {
  const schedule = given({ maxElapsedMs: 60_000 });

  it.each([
    ['the first time, up to the limit', undefined, later(60_000), false],
    ['the first time, past it', undefined, later(60_001), true],
    ['counted from the first time, up to it', later(-50_000), later(10_000), false],
    ['counted from the first time, past it', later(-50_000), later(10_001), true],
    ['long over already', later(-999_000), later(0), true],
    ['first seen in the future counts as now', later(5_000), later(60_001), true],
    ['first seen at no time at all', new Date(Number.NaN), later(1), true],
    ['returning at no time at all', undefined, new Date(Number.NaN), true],
  ] as const)('%s', (_name, firstAt, returnsAt, expected) => {
    expect(returnsTooLate(schedule, firstAt, NOW, returnsAt)).toBe(expected);
  });
});

describe('laneDelays', () => {
  it.each([
    ['one queue a tier', given({}), [10_000, 60_000, 300_000, 1_800_000]],
    ['equal delays once', given({ delaysMs: [1_000, 1_000, 2_000] }), [1_000, 2_000]],
    ['sorted', given({ delaysMs: [60_000, 1_000] }), [1_000, 60_000]],
    ['one for deferrals when there is none', given({ delaysMs: [] }), [10_000]],
    [
      'all lanes of all tiers',
      given({ delaysMs: [30_000, 60_000], jitter: { lanes: 3, spread: 0.1 } }),
      [30_000, 33_000, 36_000, 60_000, 66_000, 72_000],
    ],
    [
      'a lane that meets another tier once',
      given({ delaysMs: [30_000, 33_000], jitter: { lanes: 2, spread: 0.1 } }),
      [30_000, 33_000, 36_300],
    ],
    [
      'lanes too near to be told apart once',
      given({ delaysMs: [1, 3], jitter: { lanes: 3, spread: 0.1 } }),
      [1, 3, 4],
    ],
  ])('lists %s', (_name, schedule, expected) => {
    expect(laneDelays(schedule)).toEqual(expected);
  });

  it('holds the wait of deferrals', () => {
    for (const schedule of [STANDARD, JITTERED, given({ delaysMs: [] })]) {
      expect(laneDelays(schedule)).toContain(deferralDelayMs(schedule));
    }
  });
});

describe('totalWaitMs', () => {
  it.each([
    ['the default schedule', STANDARD, 2_170_000, 2_170_000],
    ['jitter in the slowest lanes', JITTERED, 2_170_000, 2_604_000],
    [
      'a last delay that repeats',
      given({ delaysMs: [1_000, 2_000], maxAttempts: 5 }),
      7_000,
      7_000,
    ],
    ['no retries', given({ delaysMs: [10_000], maxAttempts: 1 }), 0, 0],
  ])('adds up %s', (_name, schedule, plainMs, slowestMs) => {
    expect(totalWaitMs(schedule)).toEqual({ plainMs, slowestMs });
  });
});
