import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import { decodeHeaderJson, isByteList } from '../../../functions/message/decode-header-json.ts';
import { parseJvmDate } from '../../../functions/message/jvm-date.ts';
import { messageWith, stampOf, wireOf } from './samples.ts';

function decode(json: object) {
  return decodeHeaderJson(json).headers;
}

describe('decodeHeaderJson', () => {
  const CASE_28 = {
    trace: { bytes: [118, 97] },
    n: 10,
    list: [{ bytes: [97] }, { q: { bytes: [98] } }],
    é: { bytes: [-61, -87] },
    e: { bytes: [] },
    user: { bytes: 'abc' },
  };

  it('case 28: unwraps byte sequences at every level, and leaves alone what is none', () => {
    expect(decode(CASE_28)).toEqual({
      trace: 'va',
      n: 10,
      list: ['a', { q: 'b' }],
      é: 'é',
      e: '',
      user: { bytes: 'abc' },
    });
  });

  it('case 28: republishes them as strings, not as tables named bytes', () => {
    const wire = wireOf(copyOf(messageWith(CASE_28), stampOf(), 'q'));

    expect(wire.get('trace')).toEqual({ tag: 'S', value: Buffer.from('va') });
    expect(wire.get('é')).toEqual({ tag: 'S', value: Buffer.from('é') });
    expect(wire.get('e')).toEqual({ tag: 'S', value: Buffer.alloc(0) });
    expect(wire.get('list')).toMatchObject({ value: [{ tag: 'S' }, { tag: 'F' }] });
    expect(wire.get('user')).toEqual({
      tag: 'F',
      value: [['bytes', { tag: 'S', value: Buffer.from('abc') }]],
    });
  });

  it('case 28: x-retry-count as bytes reads 2', () => {
    expect(messageWith({ 'x-retry-count': { bytes: [50] } }).state.retryCount).toBe(2);
  });

  it.each([
    ['a second key', { bytes: [97], more: 1 }],
    ['a number out of range', { bytes: [300] }],
    ['a fraction', { bytes: [1.5] }],
    ['a nested list', { bytes: [[97]] }],
    ['null', { bytes: null }],
  ])('leaves a table with bytes and %s a table', (_what, table) => {
    expect(decode({ table })).toEqual({ table });
  });

  it('keeps a long string that is no UTF-8 as its bytes', () => {
    expect(decode({ raw: { bytes: [-1, 0, 127] } }).raw).toEqual(Buffer.from([255, 0, 127]));
  });

  it('keeps a byte order mark', () => {
    expect(decode({ bom: { bytes: [-17, -69, -65, 97] } }).bom).toBe('\uFEFFa');
  });

  it('reads bare text as a timestamp when it is the date of a JVM, and leaves it text otherwise', () => {
    expect(decode({ at: 'Jan 1, 1970, 12:33:41\u202fAM', note: 'hello' })).toEqual({
      at: { '!': 'timestamp', value: 2021 },
      note: 'hello',
    });
  });

  it('leaves a long string that reads like a date a string', () => {
    const bytes = [...Buffer.from('Jul 2, 2023, 1:30:34 AM')];

    expect(decode({ text: { bytes } })).toEqual({ text: 'Jul 2, 2023, 1:30:34 AM' });
  });

  it('case 50: a key __proto__ is only a key, at every level', () => {
    const headers = decode(JSON.parse('{"__proto__":{"a":1},"t":{"__proto__":{"b":2}}}'));

    expect(Object.keys(headers)).toEqual(['__proto__', 't']);
    expect(Object.getPrototypeOf(headers)).toBeNull();
    expect(headers.a).toBeUndefined();
    expect((headers.t as Record<string, unknown>).b).toBeUndefined();
  });

  it('reads 64 levels and reports what is deeper', () => {
    const nest = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

    const decoded = decodeHeaderJson({ fits: nest(65), deep: nest(66), deepest: nest(5000) });

    expect(Object.keys(decoded.headers)).toEqual(['fits']);
    expect(decoded.tooDeep).toEqual(['deep', 'deepest']);
  });

  it('takes values JSON has not for null, and a bigint as it is', () => {
    const json = { f: () => 1, s: Symbol('s'), u: undefined, big: 5n };

    expect(decode(json)).toEqual({ f: null, s: null, u: null, big: 5n });
  });
});

describe('isByteList', () => {
  it.each([
    [[], true],
    [[-128, 255], true],
    [[-129], false],
    [[256], false],
    [[0.5], false],
    [['1'], false],
    [null, false],
    [{ length: 0 }, false],
  ])('%j: %j', (value, expected) => {
    expect(isByteList(value)).toBe(expected);
  });
});

describe('parseJvmDate', () => {
  it.each([
    ['Jan 1, 1970, 12:33:41 AM', 2021],
    ['Jan 1, 1970, 12:33:41\u202fAM', 2021],
    ['Jan 1, 1970, 12:33:41\u00a0AM', 2021],
    ['Jan 1, 1970 12:33:41 AM', 2021],
    ['Jan 1, 1970, 12:00:00 AM', 0],
    ['Jul 2, 2023, 1:30:34 AM', Date.UTC(2023, 6, 2, 1, 30, 34) / 1000],
    ['Jul 2, 2023, 1:30:34 PM', Date.UTC(2023, 6, 2, 13, 30, 34) / 1000],
    ['Jul 2, 2023, 12:30:34 PM', Date.UTC(2023, 6, 2, 12, 30, 34) / 1000],
    ['Feb 29, 2024, 11:59:59 PM', Date.UTC(2024, 1, 29, 23, 59, 59) / 1000],
    ['Mar 8, 2026, 2:30:00 AM', Date.UTC(2026, 2, 8, 2, 30) / 1000],
    // A sender that took milliseconds for seconds.
    ['Jan 13, 57887, 8:00:00 PM', Date.UTC(57887, 0, 13, 20) / 1000],
  ])('case 12: reads %j as %d', (text, seconds) => {
    expect(parseJvmDate(text)).toBe(seconds);
  });

  it.each([
    '',
    'garbage',
    'Foo 2, 2023, 1:30:34 AM',
    'Feb 30, 2023, 1:30:34 AM',
    'Jul 0, 2023, 1:30:34 AM',
    'Jul 2, 2023, 0:30:34 AM',
    'Jul 2, 2023, 13:30:34 AM',
    'Jul 2, 2023, 1:60:34 AM',
    'Jul 2, 2023, 1:30:60 AM',
    'Jul 2, 2023, 1:30:34',
    'Dec 31, 1969, 11:59:59 PM',
    'Jul 2, 300000, 1:30:34 AM',
    '2023-07-02T01:30:34Z',
    ' Jul 2, 2023, 1:30:34 AM',
    'Jul 2, 2023, 1:30:34 AM\n',
  ])('case 12: takes %j for no date', (text) => {
    expect(parseJvmDate(text)).toBeUndefined();
  });

  it.each(['UTC', 'America/New_York', 'Asia/Kolkata', undefined])(
    'case 12: is UTC with TZ=%s',
    (zone) => {
      const before = process.env.TZ;
      try {
        if (zone === undefined) delete process.env.TZ;
        else process.env.TZ = zone;
        expect(parseJvmDate('Jan 1, 1970, 12:33:41 AM')).toBe(2021);
        expect(parseJvmDate('Mar 8, 2026, 2:30:00 AM')).toBe(Date.UTC(2026, 2, 8, 2, 30) / 1000);
      } finally {
        if (before === undefined) delete process.env.TZ;
        else process.env.TZ = before;
      }
    },
  );
});
