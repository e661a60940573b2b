import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DurationError,
  durationText,
  formatDuration,
  parseDuration,
} from '../../../functions/policy/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['10s', 10_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['0s', 0],
    ['90s', 90_000],
    ['007s', 7_000],
    ['28d', 2_419_200_000],
  ])('reads %s as %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    ['30000', "got '30000' without a unit; write '30000ms' or '30000s'"],
    [30_000, "got the number 30000 without a unit; write '30000ms' or '30000s'"],
    [Number.NaN, 'got the number NaN'],
    [-5, 'got the number -5'],
    ['1.5h', "got '1.5h'; write '90m'"],
    ['1m30s', "got '1m30s'; write '90s'"],
    ['1h 30m', "got '1h 30m'; write '90m'"],
    [' 10s', "got ' 10s'; write '10s'"],
    ['10S', "got '10S'; write '10s'"],
    ['10 sec', "got '10 sec'; write '10s'"],
    ['5 minutes', "got '5 minutes'; write '5m'"],
    ['2hours', "got '2hours'; write '2h'"],
    ['250 milliseconds', "got '250 milliseconds'; write '250ms'"],
    ['-5s', "got '-5s'; it must not be negative"],
    ['', "got ''"],
    ['s', "got 's'"],
    ['soon', "got 'soon'"],
    ['10w', "got '10w'"],
    ['1e3s', "got '1e3s'"],
    ['١٠s', "got '١٠s'"],
    ['10s\n', "got '10s\n'; write '10s'"],
    [null, 'got null'],
    [undefined, 'got undefined'],
    [['10s'], 'got object'],
    [10n, 'got bigint'],
  ])('refuses %o and says why', (value, ending) => {
    let thrown: unknown;
    try {
      parseDuration(value);
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toBeInstanceOf(DurationError);
    expect(thrown).toMatchObject({
      name: 'DurationError',
      code: 'DURATION',
      message: `expected a duration such as '500ms', '10s', '5m', '1h' or '2d', ${ending}`,
    });
  });

  it('refuses what a number could not hold exactly', () => {
    expect(() => parseDuration('99999999999999d')).toThrow(
      "'99999999999999d' is more milliseconds than a number holds exactly",
    );
  });

  it('shows only the beginning of a very long text', () => {
    const act = () => parseDuration('x'.repeat(10_000));

    expect(act).toThrow(`got '${'x'.repeat(40)}…'`);
  });

  it('answers any value with a whole number of milliseconds or a DurationError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string()), (value) => {
        try {
          expect(Number.isSafeInteger(parseDuration(value))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(DurationError);
        }
      }),
    );
  });
});

describe('durationText', () => {
  it.each([
    [10_000, '10s'],
    [60_000, '1m'],
    [90_000, '90s'],
    [33_000, '33s'],
    [1_500, '1500ms'],
    [3_600_000, '1h'],
    [86_400_000, '1d'],
    [172_800_000, '2d'],
    [83, '83ms'],
    [0, '0ms'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it('is read back to the same number', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_294_967_295 }), (ms) => {
        expect(parseDuration(durationText(ms))).toBe(ms);
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [2_170_000, '36m 10s'],
    [10_000, '10s'],
    [86_400_000, '1d'],
    [93_600_000, '1d 2h'],
    [1_500, '1s 500ms'],
    [0, '0s'],
    [0.4, '0s'],
    [-90_000, '-1m 30s'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Number.NaN, 'NaN'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
