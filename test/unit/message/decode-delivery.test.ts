import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import { decodeAmqplibTable, decodeDelivery } from '../../../functions/message/decode-delivery.ts';
import { strangerTable } from './amqp-arbitrary.ts';
import { decodeHeaders, deliveryOf, encodeHeaders, readBack } from './amqplib-codec.ts';
import { longString, messageWith, nextDelivery, stampOf, wireOf } from './samples.ts';
import { encodeWire, type WireTable, type WireValue } from './wire.ts';

const text = (value: string): WireValue => ({ tag: 'S', value: Buffer.from(value) });
const int = (value: number): WireValue => ({ tag: 'I', value: BigInt(value) });
const table = (...value: WireTable): WireValue => ({ tag: 'F', value });

function received(wire: WireTable, properties: object = {}) {
  return decodeDelivery(deliveryOf(encodeWire(wire), properties), 'orders.parked', '/');
}

describe('decodeDelivery', () => {
  it('gives the properties and the body that came', () => {
    const message = received([], {
      contentType: 'application/json',
      correlationId: 'c-1',
      priority: 4,
      expiration: '2000',
      timestamp: 1_700_000_000,
      deliveryMode: 2,
      messageId: undefined,
      clusterId: 'cl',
    });

    expect(message).toMatchObject({ queue: 'orders.parked', vhost: '/', redelivered: false });
    expect(message.body.toString()).toBe('body');
    expect(message.properties).toEqual({
      contentType: 'application/json',
      correlationId: 'c-1',
      priority: 4,
      expiration: '2000',
      timestampSeconds: 1_700_000_000,
      deliveryMode: 2,
    });
  });

  it('gives a message without any headers', () => {
    const message = decodeDelivery(
      { content: Buffer.alloc(0), fields: { redelivered: true }, properties: {} },
      'q',
      'v',
    );

    expect(message).toMatchObject({ headers: {}, redelivered: true, vhost: 'v', deaths: [] });
  });

  it('case 54: reads the counts and deaths of the broker', () => {
    const message = received([
      ['x-delivery-count', int(5)],
      ['x-acquired-count', { tag: 'l', value: 6n }],
      [
        'x-death',
        {
          tag: 'A',
          value: [
            table(
              ['queue', text('orders')],
              ['reason', text('delivery_limit')],
              ['count', { tag: 'l', value: 1n }],
              ['exchange', text('')],
              ['routing-keys', { tag: 'A', value: [text('orders')] }],
              ['time', { tag: 'T', value: 1_700_000_000n }],
            ),
          ],
        },
      ],
    ]);

    expect(message).toMatchObject({ deliveryCount: 5, acquiredCount: 6, headers: {} });
    expect(message.deaths).toEqual([
      {
        queue: 'orders',
        reason: 'delivery_limit',
        count: 1,
        exchange: '',
        routingKeys: ['orders'],
        timeSeconds: 1_700_000_000,
      },
    ]);
  });

  it('keeps timestamps, decimals and bytes with their type', () => {
    const message = received([
      ['at', { tag: 'T', value: 7n }],
      ['price', { tag: 'D', places: 2, digits: 1234 }],
      ['raw', { tag: 'x', value: Buffer.from([255, 0]) }],
    ]);

    const wire = wireOf(copyOf(message, stampOf(), 'q'));

    expect(wire.get('at')).toEqual({ tag: 'T', value: 7n });
    expect(wire.get('price')).toEqual({ tag: 'D', places: 2, digits: 1234 });
    expect(wire.get('raw')).toEqual({ tag: 'x', value: Buffer.from([255, 0]) });
  });

  it('copies bytes out of the frame they came in', () => {
    const fields = decodeHeaders(encodeWire([['raw', { tag: 'x', value: Buffer.from([1]) }]]));
    const raw = fields.raw as Buffer;

    const decoded = decodeAmqplibTable(fields);
    raw[0] = 9;

    expect(decoded.raw).toEqual(Buffer.from([1]));
  });
});

describe('case 50: a header named __proto__', () => {
  const forged = [['__proto__', table(['x-retry-count', int(-100)])]] as const;

  it('reads as a key by basic.get: no count from it, nothing inherited', () => {
    const message = received(forged);

    expect(message.state.retryCount).toBe(0);
    expect(Object.getPrototypeOf(message.headers)).toBeNull();
    expect(Object.keys(message.headers)).toEqual(['__proto__']);
    expect(message.headers['x-retry-count']).toBeUndefined();
  });

  it('really does swap the prototype in amqplib', () => {
    const fields = decodeHeaders(encodeWire(forged));

    expect(Object.keys(fields)).toEqual([]);
    expect(fields['x-retry-count']).toBe(-100);
  });

  it('reads as a key by the Lambda event', () => {
    const headers = JSON.parse('{"__proto__":{"x-retry-count":-100}}');

    const message = messageWith(headers);

    expect(message.state.retryCount).toBe(0);
    expect(Object.keys(message.headers)).toEqual(['__proto__']);
  });

  it.each([
    ['the event', messageWith(JSON.parse('{"__proto__":{"x-retry-count":-100},"a":1}'))],
    ['basic.get', received([...forged, ['a', int(1)]])],
  ])('goes on as the one header it was when it came by %s', (_how, message) => {
    const wire = wireOf(copyOf(message, stampOf(), 'q'));

    expect(wire.get('__proto__')).toEqual(table(['x-retry-count', int(-100)]));
    expect(wire.get('a')).toEqual(int(1));
    expect(wire.get('x-retry-count')).toEqual(int(1));
  });

  it('is recovered in nested tables, and as a list', () => {
    const message = received([
      ['t', table(['__proto__', table(['b', int(2)])], ['a', int(1)])],
      ['l', table(['__proto__', { tag: 'A', value: [int(3)] }])],
      ['x', table(['__proto__', { tag: 'x', value: Buffer.from([4]) }])],
      ['d', table(['__proto__', { tag: 'T', value: 5n }])],
    ]);

    const wire = wireOf(copyOf(message, stampOf(), 'q'));

    expect(wire.get('t')).toEqual(table(['a', int(1)], ['__proto__', table(['b', int(2)])]));
    expect(wire.get('l')).toEqual(table(['__proto__', { tag: 'A', value: [int(3)] }]));
    expect(wire.get('x')).toEqual(table(['__proto__', { tag: 'x', value: Buffer.from([4]) }]));
    expect(wire.get('d')).toEqual(table(['__proto__', { tag: 'T', value: 5n }]));
  });

  it('is lost when amqplib ignores it: a text can be no prototype', () => {
    expect(Object.keys(received([['__proto__', text('x')]]).headers)).toEqual([]);
    expect(Object.keys(received([['__proto__', { tag: 'V' }]]).headers)).toEqual([]);
  });
});

describe("a sender's table with a key !", () => {
  it.each([
    ['no type of ours', table(['!', text('nope')], ['value', int(1)])],
    ['a type amqplib never gives', table(['!', text('int')], ['value', int(1)])],
    ['a timestamp that is no number', table(['!', text('timestamp')], ['value', text('x')])],
    ['a decimal that is none', table(['!', text('decimal')], ['value', int(1)])],
    ['a third key', table(['!', text('timestamp')], ['value', int(1)], ['more', int(2)])],
  ])('stays a table when it holds %s', (_what, sent) => {
    const wire = wireOf(copyOf(received([['h', sent]]), stampOf(), 'q'));

    const got = wire.get('h');
    expect(got?.tag).toBe('F');
    expect(new Map(got?.tag === 'F' ? got.value : [])).toEqual(
      new Map(sent.tag === 'F' ? sent.value : []),
    );
  });

  it('is a timestamp when it looks exactly like one: amqplib gives both alike', () => {
    const sent = table(['!', text('timestamp')], ['value', int(7)]);

    expect(wireOf(copyOf(received([['h', sent]]), stampOf(), 'q')).get('h')).toEqual({
      tag: 'T',
      value: 7n,
    });
  });
});

describe('the two sources', () => {
  it('agree on a copy of ours', () => {
    const original = messageWith(
      { tenant: longString('acme'), n: 5_000_000_000, list: [1, longString('a')], none: null },
      { messageId: 'm-1', type: 'T', timestamp: 'Jul 2, 2023, 1:30:34 AM', priority: 3 },
    );
    const copy = copyOf(original, stampOf({ labels: { tenant: 'acme' } }), 'orders');

    const byEvent = nextDelivery(copy);
    const byGet = decodeDelivery(readBack(copy), 'orders', '/');

    const { deliveryMode: _deliveryMode, ...properties } = byEvent.properties;
    expect({ ...byEvent, properties }).toEqual(byGet);
  });

  it('survive any stranger', () => {
    fc.assert(
      fc.property(strangerTable, (wire) => {
        const message = received(wire);
        const copy = copyOf(message, stampOf(), 'q');

        expect(Object.getPrototypeOf(message.headers)).toBeNull();
        expect(message.state.retryCount).toBeGreaterThanOrEqual(0);
        expect(encodeHeaders(copy.headers).length).toBeGreaterThan(0);
      }),
      { numRuns: 500 },
    );
  });
});
