import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../functions/policy/normalise.ts';
import { parseRetryAfterMs } from '../../../functions/policy/retry-after.ts';
import { aggregate, err } from './tables/row.ts';

const now = new Date('2026-01-01T00:00:00Z');
const of = (thrown: unknown) => normalise(thrown, now).retryAfterMs;
const TEN_YEARS_MS = 10 * 365 * 86_400_000;

describe('a Retry-After value', () => {
  it.each<[unknown, number | undefined]>([
    ['120', 120_000],
    [' 30 ', 30_000],
    ['0', 0],
    ['99999999', 99_999_999_000],
    [120, 120_000],
    [30n, 30_000],
    [['45', '90'], 45_000],
    [['soon', '90'], 90_000],
    ['9'.repeat(400), TEN_YEARS_MS],
    ['-5', undefined],
    ['1.5', undefined],
    ['1000abc', undefined],
    ['', undefined],
    ['   ', undefined],
    ['soon', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['+5', undefined],
    ['Infinity', undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [-5, undefined],
    [1.5, undefined],
    [null, undefined],
    [undefined, undefined],
    [true, undefined],
    [{}, undefined],
    [[], undefined],
    [Symbol('x'), undefined],
  ])('case 16: %s → %s', (value, expected) => {
    expect(parseRetryAfterMs(value, now)).toBe(expected);
  });

  it.each([
    ['Thu, 01 Jan 2026 00:01:30 GMT', 90_000],
    ['thu, 01 jan 2026 00:01:30 gmt', 90_000],
    ['Thursday, 01-Jan-26 00:01:30 GMT', 90_000],
    ['Thu Jan  1 00:01:30 2026', 90_000],
    ['2026-01-01T00:01:30Z', 90_000],
    ['2026-01-01T01:01:30.000+01:00', 90_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
  ])('case 16: the date %s', (value, expected) => {
    expect(parseRetryAfterMs(value, now)).toBe(expected);
  });

  it.each([
    'Thu, 32 Jan 2026 00:01:30 GMT',
    'Mon, 31 Feb 2026 00:00:00 GMT',
    'Thu, 01 Foo 2026 00:01:30 GMT',
    'Thu, 01 Jan 2026 24:01:30 GMT',
    'Thu, 01 Jan 2026 00:01:30 PST',
    'Thu, 01 Jan 2026',
    '2026-01-01',
    '2026-01-01T00:01:30',
    '2026-13-01T00:01:30Z',
    '01/02/2026',
  ])('case 16: %s is no date', (value) => {
    expect(parseRetryAfterMs(value, now)).toBeUndefined();
  });

  it('a Date object is a time, of any realm, and an invalid one is absent', () => {
    expect(parseRetryAfterMs(new Date('2026-01-01T00:00:10Z'), now)).toBe(10_000);
    expect(parseRetryAfterMs(new Date(Number.NaN), now)).toBeUndefined();
  });

  it('without a clock a date says nothing and seconds still count', () => {
    const noTime = new Date(Number.NaN);

    expect(parseRetryAfterMs('Thu, 01 Jan 2026 00:01:30 GMT', noTime)).toBeUndefined();
    expect(parseRetryAfterMs('5', noTime)).toBe(5_000);
  });

  it('case 16: whatever the value, the wait is absent or a whole number that keeps `now + wait` a date', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), fc.double(), fc.bigInt()), (value) => {
        const ms = parseRetryAfterMs(value, now);
        if (ms === undefined) return;
        expect(Number.isSafeInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(new Date(now.getTime() + ms).getTime()).not.toBeNaN();
      }),
    );
  });
});

describe('where Retry-After is found', () => {
  it.each<[string, unknown]>([
    ['a Headers object', { headers: new Headers({ 'Retry-After': '30' }) }],
    ['a plain object', { headers: { 'retry-after': '30' } }],
    ['a plain object in other letter case', { headers: { 'RETRY-AFTER': '30' } }],
    ['a plain object in header case', { headers: { 'Retry-After': '30' } }],
    ['an array value', { headers: { 'retry-after': ['30'] } }],
    ['a number', { headers: { 'retry-after': 30 } }],
    ['a Map', { headers: new Map([['Retry-After', '30']]) }],
    ['a list of pairs', { headers: [['Retry-After', '30']] }],
    ['a list of name and value', { headers: [{ name: 'Retry-After', value: '30' }] }],
    ['raw headers', { response: { rawHeaders: ['Date', 'x', 'Retry-After', '30'] } }],
    ['axios and got', { response: { headers: { 'retry-after': '30' } } }],
    ['superagent', { response: { header: { 'retry-after': '30' } } }],
    ['node', { res: { headers: { 'retry-after': '30' } } }],
    ['AWS SDK v3', { $response: { headers: { 'retry-after': '30' } } }],
    ['Stripe', { raw: { headers: { 'retry-after': '30' } } }],
    ['Boom', { output: { headers: { 'Retry-After': '30' } } }],
    ['a thrown Response', new Response('', { status: 429, headers: { 'retry-after': '30' } })],
    [
      'the cause chain',
      new Error('a', {
        cause: new Error('b', { cause: { message: 'c', headers: { 'retry-after': '30' } } }),
      }),
    ],
    ['a member of an aggregate', aggregate([err('E', 'x', { headers: { 'retry-after': '30' } })])],
    ['an SDK’s field', { message: 'x', retryAfter: 30 }],
    ['AWS’s field', { message: 'x', retryAfterSeconds: '30' }],
    ['a field in milliseconds', { message: 'x', retryAfterMs: 30_000 }],
    ['Discord’s body', { message: 'x', rawError: { retry_after: 30.0 } }],
    ['Telegram’s body', { message: 'x', response: { data: { parameters: { retry_after: 30 } } } }],
    ['milliseconds in a header', { headers: { 'retry-after-ms': '30000', 'retry-after': '31' } }],
    [
      'gRPC’s pushback',
      { code: 8, metadata: { getMap: () => ({ 'grpc-retry-pushback-ms': '30000' }) } },
    ],
  ])('case 16: %s', (_place, thrown) => {
    expect(of(thrown)).toBe(30_000);
  });

  it('the longest wait of a chain counts: it satisfies the others', () => {
    const members = ['10', '45', '20'].map((after) =>
      err('E', 'x', { headers: { 'retry-after': after } }),
    );

    expect(of(aggregate(members))).toBe(45_000);
  });

  it('junk in one link leaves the next link’s', () => {
    const cause = { message: 'x', headers: { 'retry-after': '20' } };

    expect(of(err('E', 'x', { headers: { 'retry-after': 'soon' }, cause }))).toBe(20_000);
  });

  it('fractions of a second are rounded up where they are allowed', () => {
    expect(of({ message: 'x', retry_after: 0.25 })).toBe(250);
    expect(of({ message: 'x', headers: { 'retry-after-ms': '1500.5' } })).toBe(1_501);
  });

  it('a reset counts only where the limit was hit', () => {
    const headers = { 'x-ratelimit-remaining': '7', 'x-ratelimit-reset-after': '2.5' };

    expect(of({ message: 'x', status: 429, headers })).toBe(2_500);
    expect(of({ message: 'x', status: 500, headers })).toBeUndefined();
    expect(
      of({ message: 'x', status: 403, headers: { ...headers, 'x-ratelimit-remaining': '0' } }),
    ).toBe(2_500);
  });

  it('a reset is seconds, or Unix seconds when it is large', () => {
    const epochSeconds = String(now.getTime() / 1_000 + 60);

    expect(of({ message: 'x', status: 429, headers: { 'x-ratelimit-reset': epochSeconds } })).toBe(
      60_000,
    );
    expect(of({ message: 'x', status: 429, headers: { 'ratelimit-reset': '60' } })).toBe(60_000);
    expect(of({ message: 'x', status: 429, headers: { 'x-ratelimit-reset': '1700000000' } })).toBe(
      0,
    );
  });

  it('no header, no wait', () => {
    expect(of(new Error('x'))).toBeUndefined();
    expect(of(undefined)).toBeUndefined();
  });
});
