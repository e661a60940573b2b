import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodedBytes,
  entryBytes,
  isTable,
  isTypedValue,
  toAmqp,
  toAmqpTable,
} from '../../../functions/message/amqp-value.ts';
import { decodeHeaderJson } from '../../../functions/message/decode-header-json.ts';
import type { HeaderValue } from '../../../functions/message/types.ts';
import { senderTable } from './amqp-arbitrary.ts';
import { decodeHeaders, encodeHeaders } from './amqplib-codec.ts';
import { decodeWire, jvmJson, type WireValue } from './wire.ts';

function onWire(value: HeaderValue): WireValue | undefined {
  return decodeWire(encodeHeaders({ h: toAmqp(value) }))[0]?.[1];
}

function tableFromJson(json: string): HeaderValue {
  return decodeHeaderJson(JSON.parse(`{"t":${json}}`)).headers.t ?? null;
}

describe('toAmqp', () => {
  it.each([
    [0, 'I', 0n],
    [2, 'I', 2n],
    [-5, 'I', -5n],
    [2 ** 31 - 1, 'I', 2n ** 31n - 1n],
    [-(2 ** 31), 'I', -(2n ** 31n)],
    [2 ** 31, 'l', 2n ** 31n],
    [-(2 ** 31) - 1, 'l', -(2n ** 31n) - 1n],
    [2 ** 53, 'l', 2n ** 53n],
    [-(2 ** 63), 'l', -(2n ** 63n)],
    [0.1, 'd', 0.1],
    [-0, 'd', -0],
    [1e300, 'd', 1e300],
    [-1e300, 'd', -1e300],
    [Number.NaN, 'd', Number.NaN],
    [Number.POSITIVE_INFINITY, 'd', Number.POSITIVE_INFINITY],
  ])('case 42: sends %d as %s', (value, tag, expected) => {
    expect(onWire(value)).toEqual({ tag, value: expected });
  });

  it('case 42: a BigInt is a long', () => {
    expect(onWire(9_007_199_254_740_993n)).toEqual({ tag: 'l', value: 9_007_199_254_740_993n });
    expect(onWire(2n)).toEqual({ tag: 'l', value: 2n });
  });

  it('case 42: the largest long, rounded up by JSON, is the largest long again', () => {
    expect(onWire(JSON.parse('9223372036854775807'))).toEqual({ tag: 'l', value: 2n ** 63n - 1n });
  });

  it.each([
    ['text', { tag: 'S', value: Buffer.from('text') }],
    ['', { tag: 'S', value: Buffer.alloc(0) }],
    [true, { tag: 't', value: true }],
    [null, { tag: 'V' }],
    [[], { tag: 'A', value: [] }],
    [{}, { tag: 'F', value: [] }],
    [Buffer.from([255]), { tag: 'x', value: Buffer.from([255]) }],
    [Uint8Array.of(1, 2), { tag: 'x', value: Buffer.from([1, 2]) }],
    [
      { '!': 'timestamp', value: 7 },
      { tag: 'T', value: 7n },
    ],
    [
      { '!': 'decimal', value: { places: 2, digits: 5 } },
      { tag: 'D', places: 2, digits: 5 },
    ],
    [
      { '!': 'float', value: 1.5 },
      { tag: 'f', value: 1.5 },
    ],
  ] as [HeaderValue, WireValue][])('sends %j as it is', (value, expected) => {
    expect(onWire(value)).toEqual(expected);
  });

  it('sends a view of a larger buffer without the rest of it', () => {
    const view = new Uint8Array(Uint8Array.of(9, 1, 2, 9).buffer, 1, 2);

    expect(onWire(view)).toEqual({ tag: 'x', value: Buffer.from([1, 2]) });
  });
});

describe("a sender's table with a key !", () => {
  it.each([
    ['{"!":{"bytes":[105,110,116]},"value":7}', ['value', '!']],
    ['{"!":null}', ['!']],
    ['{"!":{"bytes":[110,111,112,101]}}', ['!']],
    ['{"a":1,"!":{"!":2}}', ['a', '!']],
  ])('goes out as the table it was: %s', (json, keys) => {
    const wire = onWire(tableFromJson(json));

    expect(wire?.tag).toBe('F');
    expect(wire?.tag === 'F' ? wire.value.map(([key]) => key) : []).toEqual(keys);
  });

  it("would be taken for a type by amqplib's codec, which is why it is handed over inherited", () => {
    expect(() => encodeHeaders({ h: { '!': 'nope', value: 1 } as never })).toThrow(
      'Unknown type to encode: nope',
    );
    expect(decodeWire(encodeHeaders({ h: { '!': 'int', value: 1 } }))[0]?.[1].tag).toBe('I');
  });

  it('is safe at the top level too', () => {
    const wire = decodeWire(encodeHeaders(toAmqpTable({ '!': 'int', value: 1 })));

    expect(new Map(wire).get('!')).toEqual({ tag: 'S', value: Buffer.from('int') });
  });

  it('stays a table when amqplib has decoded and encoded it', () => {
    const sent = encodeHeaders({ h: toAmqp(tableFromJson('{"!":5,"a":1}')) });

    expect(decodeHeaders(sent)).toEqual({ h: { '!': 5, a: 1 } });
  });
});

describe('isTypedValue and isTable', () => {
  it('tells a typed value from a table by its prototype', () => {
    const table = tableFromJson('{"!":{"bytes":[105,110,116]},"value":7}');

    expect([isTypedValue(table), isTable(table)]).toEqual([false, true]);
    expect([isTypedValue({ '!': 'int', value: 7 }), isTable({ '!': 'int', value: 7 })]).toEqual([
      true,
      false,
    ]);
  });

  it.each([null, undefined, 1, 'text', true, 5n])('takes %s for neither', (value) => {
    expect(isTable(value)).toBe(false);
    expect(value !== undefined && isTypedValue(value)).toBe(false);
  });

  it('takes bytes and lists for no tables', () => {
    expect(isTable(Buffer.from('a'))).toBe(false);
    expect(isTable(['a'])).toBe(false);
    expect(isTable({ a: 1 })).toBe(true);
  });
});

describe('encodedBytes', () => {
  it("is what amqplib's encoder writes", () => {
    fc.assert(
      fc.property(senderTable, (table) => {
        const headers = toAmqpTable(decodeHeaderJson(JSON.parse(jvmJson(table))).headers);

        // A nested table has a type tag in front; a publish's table has none.
        expect(encodedBytes(headers)).toBe(encodeHeaders(headers).length + 1);
      }),
      { numRuns: 500 },
    );
  });

  it('counts bytes of UTF-8, in names as in values', () => {
    expect(entryBytes('é', 'ü€😀')).toBe(1 + 2 + 5 + 2 + 3 + 4);
    expect(encodeHeaders({ é: 'ü€😀' })).toHaveLength(4 + entryBytes('é', 'ü€😀'));
  });

  it.each([
    ['an integer over 64 bits', { '!': 'long', value: 2n ** 63n }],
    ['an int over 32 bits', { '!': 'int', value: 2 ** 31 }],
    ['a fraction as an int', { '!': 'int', value: 1.5 }],
    ['a negative timestamp', { '!': 'timestamp', value: -1 }],
    ['a fractional timestamp', { '!': 'timestamp', value: 1.5 }],
    ['a text as a double', { '!': 'double', value: 'text' }],
    ['a text as a float', { '!': 'float', value: 'text' }],
    ['a decimal of 256 places', { '!': 'decimal', value: { places: 256, digits: 1 } }],
    ['a decimal that is a number', { '!': 'decimal', value: 1 }],
    ['an unknown type', { '!': 'nope', value: 1 }],
    ['a bare bigint', 5n],
    ['a nested name over 255 bytes', { ['é'.repeat(128)]: 1 }],
    ['an undefined', { a: undefined }],
  ])('is NaN for %s', (_what, value) => {
    expect(encodedBytes(value as HeaderValue)).toBeNaN();
    expect(encodedBytes([value as HeaderValue])).toBeNaN();
  });

  it('is NaN for what is nested too deep, rather than an overflow of the stack', () => {
    const deep = JSON.parse('['.repeat(2000) + ']'.repeat(2000)) as HeaderValue;

    expect(encodedBytes(toAmqp(deep))).toBeNaN();
  });
});
