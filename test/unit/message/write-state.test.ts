import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeAmqplibTable } from '../../../functions/message/decode-delivery.ts';
import { HEADERS } from '../../../functions/message/headers.ts';
import {
  COUNT_LIMIT,
  OWN_BLOCK_LIMIT_BYTES,
  TEXT_LIMIT_BYTES,
  TOKEN_RESERVE_BYTES,
} from '../../../functions/message/limits.ts';
import { readState } from '../../../functions/message/read-state.ts';
import { cutUtf8 } from '../../../functions/message/text.ts';
import {
  labelsText,
  ownBlockBytes,
  type WritableState,
  writeState,
} from '../../../functions/message/write-state.ts';
import { decodeHeaders, encodeHeaders } from './amqplib-codec.ts';
import { AT, FAILURE, LATER } from './samples.ts';
import { decodeWire } from './wire.ts';

const EMPTY: WritableState = { retryCount: 0, suspect: false, origin: {}, replay: { count: 0 } };

const FULL: WritableState = {
  retryCount: 3,
  notBefore: LATER,
  failure: FAILURE,
  firstAt: AT,
  lastAt: LATER,
  consumer: 'orders/12/req-1',
  labels: { tenant: 'acme', order: '42' },
  suspect: true,
  endedRun: { owner: 'req-1/run-1', done: true },
  origin: {
    queue: 'orders',
    exchange: '',
    routingKey: 'order.created',
    userId: 'shop-api',
    deadline: LATER,
    deaths: 'a:rejected:1',
    dropped: 'big:70000',
  },
  replay: { count: 2, run: 'run-1', at: AT, by: 'kim', reason: 'fixed', ticket: 'INC-7' },
};

/** What a reader makes of a written block, through amqplib's codec. */
function readBack(state: WritableState) {
  const wire = encodeHeaders({ ...writeState(state), 'x-layover-publish': 'token-1' });
  return readState(decodeAmqplibTable(decodeHeaders(wire))).state;
}

describe('writeState', () => {
  it('is read again as it was', () => {
    expect(readBack(FULL)).toEqual({ ...FULL, own: true });
    expect(readBack(EMPTY)).toEqual({ ...EMPTY, own: true });
  });

  it('writes nothing for a state in which nothing happened', () => {
    expect(writeState(EMPTY)).toEqual({});
  });

  it('states the type of every number, and uses text for the rest', () => {
    const tags = decodeWire(encodeHeaders(writeState(FULL))).map(([name, { tag }]) => [name, tag]);

    expect(Object.fromEntries(tags)).toMatchObject({
      'x-retry-count': 'I',
      'x-replay-count': 'I',
      'x-failure-suspect': 'S',
      'x-failure-first-at': 'S',
      'x-failure-labels': 'S',
    });
    expect(new Set(tags.map(([, tag]) => tag))).toEqual(new Set(['I', 'S']));
  });

  it('writes a retry count of 0 beside a failure, so that a parked message tells its attempt', () => {
    expect(writeState({ ...EMPTY, failure: FAILURE })['x-retry-count']).toEqual({
      '!': 'int',
      value: 0,
    });
  });

  it.each([
    [-1, 0],
    [1e9, COUNT_LIMIT],
    [Number.NaN, COUNT_LIMIT],
    [Number.POSITIVE_INFINITY, COUNT_LIMIT],
    [2.9, 2],
  ])('case 50: writes a retry count of %d as %d', (retryCount, value) => {
    const block = writeState({ ...EMPTY, failure: FAILURE, retryCount });

    expect(block['x-retry-count']).toEqual({ '!': 'int', value });
  });

  it('leaves out a moment that is none', () => {
    const block = writeState({ ...EMPTY, firstAt: new Date(Number.NaN) });

    expect(block).toEqual({});
  });

  it('holds every text to its limit', () => {
    const long = 'x'.repeat(5000);
    const failure = { ...FAILURE, message: long, name: long, rule: long, code: long };

    const block = writeState({ ...EMPTY, failure });

    for (const [name, limit] of Object.entries(TEXT_LIMIT_BYTES)) {
      const value = block[name];
      if (value !== undefined)
        expect(Buffer.byteLength(value as string)).toBeLessThanOrEqual(limit);
    }
    expect(block['x-failure-message']).toHaveLength(1024 - 2);
  });
});

describe('the size of our block', () => {
  const anyText = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ unit: 'binary', maxLength: 3000 }),
    fc.integer({ min: 0, max: 3000 }).map((length) => '"'.repeat(length)),
    fc.integer({ min: 0, max: 3000 }).map((length) => '€'.repeat(length)),
    fc.constantFrom('\ud800', 'a\udc00', '😀'.repeat(700)),
  );
  const moment = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) });
  const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

  const anyState = fc
    .record({
      retryCount: fc.oneof(fc.double(), fc.nat()),
      notBefore: optional(moment),
      failure: optional(
        fc.record({
          class: anyText,
          rule: anyText,
          signature: anyText,
          name: anyText,
          code: anyText,
          message: anyText,
        }),
      ),
      firstAt: optional(moment),
      lastAt: optional(moment),
      consumer: optional(anyText),
      labels: optional(fc.dictionary(anyText, anyText, { maxKeys: 5 })),
      suspect: fc.boolean(),
      endedRun: optional(fc.record({ owner: fc.string({ maxLength: 140 }), done: fc.boolean() })),
      origin: fc.record({
        queue: anyText,
        exchange: anyText,
        routingKey: anyText,
        userId: anyText,
        deadline: moment,
        deaths: anyText,
        dropped: anyText,
      }),
      replay: fc.record({
        count: fc.nat(),
        run: anyText,
        at: moment,
        by: anyText,
        reason: anyText,
        ticket: anyText,
      }),
    })
    .map((state) => state as WritableState);

  it('stays under 4096 bytes on the wire, whatever goes in', () => {
    fc.assert(
      fc.property(anyState, anyText, (state, bytePaths) => {
        const block = writeState(state, bytePaths);

        const onWire = encodeHeaders({ ...block, 'x-layover-publish': 't'.repeat(88) });
        expect(onWire.length - 4).toBeLessThan(OWN_BLOCK_LIMIT_BYTES);
        expect(ownBlockBytes(block)).toBe(onWire.length - 4);
      }),
      { numRuns: 300 },
    );
  });

  it('is read again, written again, and then the same', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const once = readBack(state);

        expect(readBack(once)).toEqual(once);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps room for a token of 88 bytes', () => {
    const token = { 'x-layover-publish': 't'.repeat(88) };

    expect(encodeHeaders(token).length - 4).toBe(TOKEN_RESERVE_BYTES);
  });

  it("gives up the error's text first, then labels, and never where it came from", () => {
    const long = (bytes: number) => 'x'.repeat(bytes);
    const state: WritableState = {
      ...FULL,
      failure: { ...FAILURE, message: long(1024), name: long(128), rule: long(128) },
      labels: { a: long(480) },
      origin: {
        queue: long(255),
        exchange: long(255),
        routingKey: long(255),
        userId: long(255),
        deaths: long(512),
      },
      replay: { count: 1, reason: long(512), by: long(255), ticket: long(128) },
    };

    const { failure, labels, origin } = readBack(state);

    expect(failure?.message.length).toBeLessThan(600);
    expect(failure?.class).toBe('transient');
    expect(failure?.signature).toBe('a1b2c3d4');
    expect(labels).toBeUndefined();
    expect(origin).toMatchObject({
      queue: long(255),
      exchange: long(255),
      routingKey: long(255),
    });
  });

  it('is below 600 bytes for an ordinary failure', () => {
    const state: WritableState = {
      ...EMPTY,
      retryCount: 1,
      failure: FAILURE,
      firstAt: AT,
      lastAt: AT,
      consumer: 'orders/12/8f5a3c1e-0000-4000-8000-000000000000',
      labels: { tenant: 'acme' },
      origin: { queue: 'orders' },
    };

    expect(ownBlockBytes(writeState(state))).toBeLessThan(600);
  });
});

describe('labelsText', () => {
  it('is a JSON object of the labels', () => {
    expect(labelsText({ tenant: 'acme', q: 'say "hi"' }, 512)).toBe(
      '{"tenant":"acme","q":"say \\"hi\\""}',
    );
  });

  it('leaves out what does not fit, and keeps what comes after and does', () => {
    expect(labelsText({ a: '1', b: 'x'.repeat(50), c: '3' }, 20)).toBe('{"a":"1","c":"3"}');
  });

  it.each([[undefined], [{}], [{ a: 'x'.repeat(600) }]])('is nothing for %j', (labels) => {
    expect(labelsText(labels, 512)).toBeUndefined();
  });

  it('skips values that are no text, whatever the types promised', () => {
    expect(labelsText({ a: 1, b: undefined, c: 'c' } as never, 512)).toBe('{"c":"c"}');
  });

  it('never exceeds its limit, and is always JSON', () => {
    const labels = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(labels, fc.nat(600), (given, limit) => {
        const text = labelsText(given, limit);
        if (text === undefined) return;
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit);
        expect(JSON.parse(text)).toBeTypeOf('object');
      }),
      { numRuns: 300 },
    );
  });
});

describe('cutUtf8', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly10!', 10, 'exactly10!'],
    ['eleven char', 10, 'eleven …'],
    ['€€€€', 10, '€€…'],
    ['😀😀😀', 8, '😀…'],
    ['abc', 2, ''],
    ['abc', 0, ''],
    ['', 0, ''],
    ['a\ud800', 10, 'a\ufffd'],
  ])('cuts %j to %d bytes: %j', (text, maxBytes, expected) => {
    expect(cutUtf8(text, maxBytes)).toBe(expected);
  });

  it('never exceeds the limit, and cutting twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, maxBytes) => {
        const cut = cutUtf8(text, maxBytes);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        expect(cutUtf8(cut, maxBytes)).toBe(cut);
        expect(cut.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('does not read a huge text to its end', () => {
    expect(cutUtf8('x'.repeat(50_000_000), 10)).toBe('xxxxxxx…');
  });
});

describe('headers of ours', () => {
  it('are all written by writeState, but for the token', () => {
    const written = Object.keys(writeState(FULL, '[["a"]]'));

    expect(new Set([...written, HEADERS.publishToken])).toEqual(new Set(Object.values(HEADERS)));
  });
});
