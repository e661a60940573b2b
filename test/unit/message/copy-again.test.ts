import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import { decodeDelivery } from '../../../functions/message/decode-delivery.ts';
import type { HeaderTable } from '../../../functions/message/types.ts';
import { ownBlockBytes } from '../../../functions/message/write-state.ts';
import { senderTable, strangerTable } from './amqp-arbitrary.ts';
import { readBack } from './amqplib-codec.ts';
import {
  copyOfHeaders,
  FAILURE,
  longString,
  messageFromWire,
  messageWith,
  nextDelivery,
  stampOf,
  wireOf,
} from './samples.ts';
import { sorted } from './wire-compare.ts';

describe('values that are raw bytes', () => {
  const raw = { bytes: [-1, 0, -2] };
  const headers = { sig: raw, meta: { keys: [raw, longString('text')] }, ints: [1, 2] };
  const bytes = Buffer.from([255, 0, 254]);

  it('leave as bytes, and the copy says where they are', () => {
    const wire = wireOf(copyOfHeaders(headers));

    expect(wire.get('sig')).toEqual({ tag: 'x', value: bytes });
    expect(wire.get('x-origin-bytes')).toEqual({
      tag: 'S',
      value: Buffer.from('[["meta","keys",0],["sig"]]'),
    });
  });

  it('look the same to the handler on every attempt', () => {
    let message = messageWith(headers);
    for (let lap = 0; lap < 3; lap += 1) {
      expect(message.headers).toEqual({
        sig: bytes,
        meta: { keys: [bytes, 'text'] },
        ints: [1, 2],
      });
      message = nextDelivery(copyOf(message, stampOf(), 'orders'));
    }
  });

  it.each([
    '[["ints"],["sig"',
    'null',
    '[[]]',
    '[[{}]]',
    '[["gone"],["ints",5],["ints","x"],["__proto__","x"],[0]]',
  ])('are left alone when the marker is %s', (marker) => {
    const message = messageWith({
      ints: [1, 2],
      'x-layover-publish': longString('t'),
      'x-origin-bytes': longString(marker),
    });

    expect(message.headers).toEqual({ ints: [1, 2] });
  });

  it('are marked as far as the marker fits', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`header-${i}`, raw]));

    const marker = copyOfHeaders(many).headers['x-origin-bytes'] as string;

    expect(Buffer.byteLength(marker)).toBeLessThanOrEqual(512);
    expect(JSON.parse(marker).length).toBeGreaterThan(20);
  });

  it('are believed only on our own copies', () => {
    const message = messageWith({ ints: [1, 2], 'x-origin-bytes': longString('[["ints"]]') });

    expect(message.headers).toEqual({ ints: [1, 2] });
  });
});

describe('a copy of a copy', () => {
  it('does not grow, and changes nothing of the sender', () => {
    fc.assert(
      fc.property(senderTable, (table) => {
        const stamp = stampOf({ labels: { tenant: 'acme' } });
        const first = copyOf(messageFromWire(table), stamp, 'orders');
        // Past the marker's limit some bytes come back as lists of numbers, as documented.
        fc.pre(String(first.headers['x-origin-bytes'] ?? '').length < 300);
        // In an event, a table whose one key `bytes` is a byte array looks like a long string.
        fc.pre(!looksLikeText(first.headers));
        const second = copyOf(nextDelivery(first), stamp, 'orders');

        const third = copyOf(nextDelivery(second), stamp, 'orders');

        expect(entries(second)).toEqual(entries(first));
        expect(entries(third)).toEqual(entries(first));
        expect(third.properties).toEqual(first.properties);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same when it was read with amqplib', () => {
    fc.assert(
      fc.property(senderTable, (table) => {
        const first = copyOf(messageFromWire(table), stampOf(), 'orders');
        const read = decodeDelivery(readBack(first), 'orders.parked', '/');

        const second = copyOf(read, stampOf(), 'orders');

        expect(second.properties).toEqual(first.properties);
        for (const [name, value] of wireOf(first)) {
          // amqplib ignores a `__proto__` that is no object, and knows no bigint.
          if (JSON.stringify([name, value], plain).includes('__proto__')) continue;
          if (JSON.stringify(value, plain).includes('"tag":"l"')) continue;
          expect(sorted(wireOf(second).get(name))).toEqual(sorted(value));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("keeps our block under 4096 bytes beside any sender's", () => {
    fc.assert(
      fc.property(strangerTable, fc.string({ maxLength: 3000 }), (table, message) => {
        const stamp = stampOf({ failure: { ...FAILURE, message }, labels: { a: message } });
        const { headers } = copyOf(messageFromWire(table), stamp, 'q');
        const own = Object.entries(headers).filter(([name]) => name.startsWith('x-'));

        expect(ownBlockBytes(Object.fromEntries(own))).toBeLessThan(4096);
      }),
      { numRuns: 300 },
    );
  });
});

function entries(copy: { headers: HeaderTable }): unknown {
  return [...wireOf(copy as never)].map(([name, value]) => [name, sorted(value)]).sort();
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function looksLikeText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  const values = Object.values(value);
  const { bytes } = value as { bytes?: unknown };
  return (bytes instanceof Uint8Array && values.length === 1) || values.some(looksLikeText);
}
