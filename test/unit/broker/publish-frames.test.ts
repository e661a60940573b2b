import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { publishFrames } from '../../../functions/broker/publish-frames.ts';
import { emptyTable, toAmqpTable } from '../../../functions/message/amqp-value.ts';
import type { HeaderTable, HeaderValue, OutgoingCopy } from '../../../functions/message/types.ts';

/** amqplib doesn't export its encoder: it is loaded as a neighbour of what is exported. */
const main = createRequire(import.meta.url).resolve('amqplib');
const defs = createRequire(main)('./lib/defs.js');

const FRAME_MAX = 4_096;

/** What amqplib writes for the same publish, put together from its own encoder. */
function amqplibFrames(channel: number, copy: OutgoingCopy, token: string): Buffer {
  const { timestampSeconds, ...properties } = copy.properties;
  const fields = { exchange: '', routingKey: copy.queue, mandatory: true, immediate: false };
  const headers = Object.assign(Object.create(copy.headers), { 'x-layover-publish': token });
  const frames: Buffer[] = [
    defs.encodeMethod(defs.BasicPublish, channel, fields),
    defs.encodeProperties(defs.BasicProperties, channel, copy.body.length, {
      ...properties,
      timestamp: timestampSeconds,
      deliveryMode: 2,
      headers: inOrder(copy.headers, headers),
    }),
  ];
  for (let start = 0; start < copy.body.length; start += FRAME_MAX - 8) {
    const part = copy.body.subarray(start, start + FRAME_MAX - 8);
    const head = Buffer.alloc(7);
    head.writeUInt8(3, 0);
    head.writeUInt16BE(channel, 1);
    head.writeUInt32BE(part.length, 3);
    frames.push(head, part, Buffer.from([0xce]));
  }
  return Buffer.concat(frames);
}

/** The token comes last. */
function inOrder(own: HeaderTable, withToken: Record<string, unknown>): Record<string, unknown> {
  const table: Record<string, unknown> = Object.create(null);
  for (const key in own) table[key] = own[key];
  table['x-layover-publish'] = withToken['x-layover-publish'];
  return table;
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const text = fc.string({ unit: 'grapheme', maxLength: 90 });
const name = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .filter((key) => Buffer.byteLength(key) < 256);

const { value } = fc.letrec<{ value: HeaderValue; table: HeaderTable }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    text,
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.integer().map((n) => ({ '!': 'int' as const, value: n })),
    int64.map((n) => ({ '!': 'long' as const, value: n })),
    fc.double().map((n) => ({ '!': 'double' as const, value: n })),
    fc.float().map((n) => ({ '!': 'float' as const, value: n })),
    fc
      .bigInt({ min: 0n, max: 2n ** 64n - 1n })
      .map((n) => ({ '!': 'timestamp' as const, value: n })),
    fc
      .record({ places: fc.nat(255), digits: fc.nat(2 ** 31 - 1) })
      .map((n) => ({ '!': 'decimal' as const, value: n })),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('table'),
  ),
  table: fc
    .dictionary(name, tie('value'), { maxKeys: 5, noNullPrototype: false })
    .map((entries) => toAmqpTable(Object.assign(emptyTable(), entries))),
}));

const short = fc
  .string({ unit: 'grapheme', maxLength: 60 })
  .filter((s) => Buffer.byteLength(s) < 256);

const copies = fc
  .record({
    queue: short,
    body: fc.uint8Array({ maxLength: 10_000 }).map((bytes) => Buffer.from(bytes)),
    headers: fc
      .dictionary(name, value, { maxKeys: 8 })
      .map((entries) => Object.assign(emptyTable(), entries)),
    properties: fc.record(
      {
        contentType: short,
        contentEncoding: short,
        priority: fc.nat(255),
        correlationId: short,
        replyTo: short,
        messageId: short,
        timestampSeconds: fc.nat(2 ** 40),
        type: short,
        appId: short,
      },
      { requiredKeys: [] },
    ),
  })
  .map((copy) => copy as OutgoingCopy);

const aCopy = (headers: Record<string, unknown> = {}, body = 'hello'): OutgoingCopy => ({
  queue: 'orders.wait.10s',
  body: Buffer.from(body),
  properties: { messageId: 'm1' },
  headers: Object.assign(emptyTable(), headers),
});

describe('publishFrames', () => {
  it('writes, byte for byte, what amqplib writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0xffff }), copies, text, (channel, copy, token) => {
        const frames = publishFrames(channel, copy, token, FRAME_MAX);

        expect(frames.equals(amqplibFrames(channel, copy, token))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('splits a body so that no frame is larger than agreed upon, and one without a limit not at all', () => {
    const copy = aCopy({}, 'x'.repeat(10_000));
    const head = publishFrames(1, aCopy({}, ''), 't', FRAME_MAX).length;

    expect(publishFrames(1, copy, 't', FRAME_MAX)).toHaveLength(head + 10_000 + 3 * 8);
    expect(publishFrames(1, copy, 't', 0)).toHaveLength(head + 10_000 + 8);
  });

  it('gives a number without a stated type the one that every copy has', () => {
    const bare = publishFrames(1, aCopy({ a: 1, b: 2 ** 40, c: 1.5, d: 7n }), 't', 0);
    const stated = aCopy({
      a: { '!': 'int', value: 1 },
      b: { '!': 'long', value: 2 ** 40 },
      c: { '!': 'double', value: 1.5 },
      d: { '!': 'long', value: 7n },
    });

    expect(bare.equals(publishFrames(1, stated, 't', 0))).toBe(true);
  });

  it('leaves the table of the copy as it was', () => {
    const copy = aCopy({ a: 'b' });

    publishFrames(1, copy, 'token', 0);

    expect(Object.keys(copy.headers)).toEqual(['a']);
  });

  it.each([
    ['headers of 64 KiB', { big: 'x'.repeat(65_500) }, /^more than/],
    ['headers beyond the buffer', { big: 'x'.repeat(100_000) }, /^more than/],
    ['headers larger than a frame', { big: 'x'.repeat(FRAME_MAX) }, /^more than/],
  ])('refuses %s as too much', (_what, headers, message) => {
    expect(() => publishFrames(1, aCopy(headers), 't', FRAME_MAX)).toThrow(message);
  });

  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['an int beyond 32 bits', { '!': 'int', value: 2 ** 31 }],
    ['a long beyond 64 bits', { '!': 'long', value: 2n ** 63n }],
    ['a timestamp before 1970', { '!': 'timestamp', value: -1 }],
    ['half a long', { '!': 'long', value: 1.5 }],
    ['an unknown type', { '!': 'colour', value: 1 }],
    ['a decimal that is a number', { '!': 'decimal', value: 1 }],
    ['a table inside with a name over 255 bytes', toAmqpTable({ ['é'.repeat(128)]: 1 })],
  ])('refuses %s', (_what, header) => {
    expect(() => publishFrames(1, aCopy({ header }), 't', FRAME_MAX)).toThrow();
  });

  it.each([
    ['priority', 256],
    ['priority', -1],
    ['priority', 1.5],
    ['type', 'é'.repeat(128)],
    ['appId', 7],
    ['timestampSeconds', -1],
  ])('refuses %s %s', (field, bad) => {
    const copy = { ...aCopy(), properties: { [field]: bad } } as OutgoingCopy;

    expect(() => publishFrames(1, copy, 't', FRAME_MAX)).toThrow();
  });

  it('writes the next copy whole after one that was refused', () => {
    const before = publishFrames(1, aCopy({ a: 1 }), 't', FRAME_MAX);

    expect(() => publishFrames(1, aCopy({ a: () => 1 }), 't', FRAME_MAX)).toThrow();

    expect(publishFrames(1, aCopy({ a: 1 }), 't', FRAME_MAX).equals(before)).toBe(true);
  });
});
