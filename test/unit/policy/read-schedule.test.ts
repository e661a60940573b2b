import { describe, expect, it } from 'vitest';
import { laneDelays } from '../../../functions/policy/schedule.ts';
import { complaintsOf, givenFlow, problemsOf } from './given-flow.ts';

const schedule = (value: unknown) => complaintsOf({ schedule: value });

describe('the schedule of a flow', () => {
  it('waits 10s, 1m, 5m and 30m, within a day, without jitter, unless the flow says otherwise', () => {
    expect(givenFlow().schedule).toEqual({
      delaysMs: [10_000, 60_000, 300_000, 1_800_000],
      maxAttempts: 5,
      maxElapsedMs: 86_400_000,
      maxRetryAfterMs: 1_800_000,
      jitter: { lanes: 1, spread: 0 },
    });
  });

  it('runs the handler once more than there are delays', () => {
    expect(givenFlow({ schedule: { delays: ['1s', '2s'] } }).schedule.maxAttempts).toBe(3);
  });

  it('takes more attempts than that, for the last delay repeats', () => {
    expect(givenFlow({ schedule: { delays: ['1s'], maxAttempts: 9 } }).schedule).toMatchObject({
      delaysMs: [1_000],
      maxAttempts: 9,
    });
  });

  it('refuses fewer attempts than the delays need', () => {
    expect(schedule({ delays: ['1s', '2s', '3s'], maxAttempts: 3 })).toEqual([
      'schedule.maxAttempts: 3 attempts never use all 3 delays; write 4 or more, list fewer delays, or write 1 to never retry',
    ]);
  });

  it('counts the default delays when only the attempts are given', () => {
    expect(givenFlow({ schedule: { maxAttempts: 7 } }).schedule.maxAttempts).toBe(7);
    expect(schedule({ maxAttempts: 4 })[0]).toContain('never use all 4 delays; write 5 or more');
  });

  it.each([
    [{ maxAttempts: 1 }, 10_000],
    [{ delays: [] }, 10_000],
    [{ delays: [], maxAttempts: 1 }, 10_000],
    [{ delays: ['30s', '5m'] as const, maxAttempts: 1, jitter: true }, 30_000],
  ])('never retries with %o, yet keeps one wait for deferrals', (given, deferralMs) => {
    const flow = givenFlow({ schedule: given });

    expect(flow.schedule).toMatchObject({ maxAttempts: 1, delaysMs: [deferralMs] });
    expect(laneDelays(flow.schedule)).toEqual([deferralMs]);
  });

  it('refuses attempts that have nothing to wait for', () => {
    expect(schedule({ delays: [], maxAttempts: 3 })).toEqual([
      'schedule.maxAttempts: 3 attempts need at least one delay to wait; list one, or leave maxAttempts out',
    ]);
  });

  it.each([[0], [-1], [1.5], [Number.NaN], ['5'], [1_001], [null]])(
    'refuses %o attempts',
    (maxAttempts) => {
      expect(schedule({ maxAttempts })).toEqual([
        expect.stringContaining(
          'schedule.maxAttempts: expected a whole number from 1 to 1000, got ',
        ),
      ]);
    },
  );

  it("case 58: takes 28 days, which don't fit 31 bits", () => {
    const flow = givenFlow({ schedule: { delays: ['28d'], maxElapsed: '60d' } });

    expect(flow.schedule.delaysMs).toEqual([2_419_200_000]);
  });

  it("case 58: refuses 50 days, which are over the broker's ceiling", () => {
    expect(schedule({ delays: ['50d'], maxElapsed: '60d' })).toEqual([
      "schedule.delays[0]: '50d' is 4320000000 ms, over the broker's ceiling of 4294967295 ms for a wait; use at most '49d'",
    ]);
  });

  it('case 58: takes the ceiling itself and refuses one millisecond more', () => {
    const at = (delay: string) => schedule({ delays: [delay], maxElapsed: '60d' });

    expect(at('4294967295ms')).toEqual([]);
    expect(at('4294967296ms')).toHaveLength(1);
  });

  it("case 58: refuses the text '30000', which has no unit", () => {
    expect(schedule({ delays: ['10s', '30000'] })).toEqual([
      "schedule.delays[1]: expected a duration such as '500ms', '10s', '5m', '1h' or '2d', got '30000' without a unit; write '30000ms' or '30000s'",
    ]);
  });

  it.each([
    ['99ms', "expected '100ms' or more, got '99ms'"],
    ['0s', "expected '100ms' or more, got '0s'"],
    [30_000, 'got the number 30000 without a unit'],
    [null, 'got null'],
  ])('refuses a delay of %o', (delay, text) => {
    expect(schedule({ delays: [delay] })[0]).toContain(`schedule.delays[0]: `);
    expect(schedule({ delays: [delay] })[0]).toContain(text);
  });

  it('refuses a list that is none, and one that is longer than a broker has room for', () => {
    expect(schedule({ delays: '10s' })).toEqual([
      "schedule.delays: expected a list of waits, such as ['10s', '1m'], got '10s'",
    ]);
    expect(schedule({ delays: Array(21).fill('10s') })[0]).toContain('use at most 20');
  });

  it('refuses a delay longer than everything may take', () => {
    expect(schedule({ delays: ['10s', '2d'] })).toEqual([
      "schedule.delays[1]: '2d' is longer than maxElapsed (1d), so nothing would ever wait for it; raise schedule.maxElapsed or shorten the delay",
    ]);
    expect(schedule({ delays: ['10s', '2d'], maxElapsed: '2d' })).toEqual([]);
  });

  it('honours Retry-After up to the longest delay unless the flow says otherwise', () => {
    const of = (given: object) => givenFlow({ schedule: given }).schedule.maxRetryAfterMs;

    expect(of({ delays: ['10s', '20m', '5m'] })).toBe(1_200_000);
    expect(of({ delays: ['10s'], maxRetryAfter: '2h' })).toBe(7_200_000);
  });

  it('reads a maxElapsed of its own', () => {
    expect(givenFlow({ schedule: { maxElapsed: '3h' } }).schedule.maxElapsedMs).toBe(10_800_000);
    expect(schedule({ maxElapsed: '366d' })).toEqual([
      "schedule.maxElapsed: expected at most '365d', got '366d'",
    ]);
  });
});

describe('jitter', () => {
  it.each([
    [true, { lanes: 3, spread: 0.1 }],
    [false, { lanes: 1, spread: 0 }],
    [{}, { lanes: 3, spread: 0.1 }],
    [{ lanes: 5 }, { lanes: 5, spread: 0.1 }],
    [
      { lanes: 2, spread: 0.5 },
      { lanes: 2, spread: 0.5 },
    ],
  ])('reads %o', (jitter, expected) => {
    expect(givenFlow({ schedule: { jitter } }).schedule.jitter).toEqual(expected);
  });

  it('makes sibling lanes of 30, 33 and 36 seconds', () => {
    const flow = givenFlow({ schedule: { delays: ['30s'], jitter: true } });

    expect(laneDelays(flow.schedule)).toEqual([30_000, 33_000, 36_000]);
  });

  it.each([
    ['yes', "jitter: expected true, false or { lanes, spread }, got 'yes'"],
    [0.2, 'jitter: expected true, false or { lanes, spread }, got 0.2'],
    [[3], 'jitter: expected an object with lanes, spread, got [3]'],
    [{ lanes: 11 }, 'jitter.lanes: expected a whole number from 1 to 10, got 11'],
    [{ spread: 0 }, 'jitter.spread: expected a number above 0, up to 1, got 0'],
    [{ spread: 1.5 }, 'jitter.spread: expected a number above 0, up to 1, got 1.5'],
    [{ lane: 3 }, "jitter.lane: unknown key; did you mean 'lanes'?"],
  ])('refuses %o', (jitter, complaint) => {
    expect(schedule({ jitter })).toEqual([`schedule.${complaint}`]);
  });

  it("refuses lanes that would wait longer than the broker's ceiling", () => {
    const problems = problemsOf({
      schedule: { delays: ['45d'], maxElapsed: '60d', jitter: true },
    });

    expect(problems).toEqual([
      {
        field: 'schedule.jitter',
        value: 'true',
        message:
          "its slowest lane would wait 4665600000 ms, over the broker's ceiling of 4294967295 ms; use fewer lanes, a smaller spread or a shorter last delay",
      },
    ]);
  });
});
