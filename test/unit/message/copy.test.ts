import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import { decodeEvent } from '../../../functions/message/decode-event.ts';
import { afterEvent, senderTable, strangerTable } from './amqp-arbitrary.ts';
import {
  AT,
  copyOfHeaders,
  eventFixture,
  longString,
  messageFromWire,
  messageWith,
  nextDelivery,
  stampOf,
  wireOf,
} from './samples.ts';
import { sorted } from './wire-compare.ts';

const PROPERTIES = {
  replyTo: 'client.7',
  correlationId: 'c1',
  messageId: 'm1',
  type: 'OrderPlaced',
  appId: 'shop',
  priority: 4,
  contentType: 'application/json',
  contentEncoding: 'gzip',
} as const;

describe('what a copy keeps', () => {
  it('case 34: reply address, correlation, id, type, application and priority', () => {
    const message = messageWith(null, { ...PROPERTIES, timestamp: 'Jul 2, 2023, 1:30:34 AM' });

    const copy = copyOf(message, stampOf(), 'orders.wait.10s');

    expect(copy.queue).toBe('orders.wait.10s');
    expect(copy.properties).toEqual({
      ...PROPERTIES,
      timestampSeconds: Date.UTC(2023, 6, 2, 1, 30, 34) / 1000,
    });
  });

  it('case 34: the same over three laps', () => {
    let message = messageWith(null, PROPERTIES);
    for (let retryCount = 1; retryCount <= 3; retryCount += 1) {
      message = nextDelivery(copyOf(message, stampOf({ retryCount }), 'orders'));
    }

    expect(message.properties).toEqual({ ...PROPERTIES, deliveryMode: 2 });
    expect(message.state.retryCount).toBe(3);
  });

  it('the body, byte for byte', () => {
    const body = Buffer.from([0, 255, 128, 10, 13]);
    const message = messageWith(null, {}, { data: body.toString('base64') });

    expect(copyOf(message, stampOf(), 'q').body).toEqual(body);
  });

  it('the raw text of a body that was no base64', () => {
    const message = messageWith(null, {}, { data: '*** no base64 ***' });

    expect(copyOf(message, stampOf(), 'q').body.toString()).toBe('*** no base64 ***');
  });

  it('case 4: works when every property is null', () => {
    const copy = copyOf(messageWith(null, { deliveryMode: 1 }), stampOf(), 'q');

    expect(copy.properties).toEqual({ messageId: 'stamped-1' });
  });

  it.each([2, 1, null, undefined])(
    'case 8: says nothing of a delivery mode of %s',
    (deliveryMode) => {
      const copy = copyOf(messageWith(null, { deliveryMode }), stampOf(), 'q');

      expect(copy.properties).not.toHaveProperty('deliveryMode');
    },
  );

  it('stamps an id when there is none, and keeps it from then on', () => {
    const first = copyOf(messageWith(null), stampOf(), 'q');
    const second = copyOf(nextDelivery(first), stampOf({ messageIdIfMissing: 'other' }), 'q');

    expect(first.properties.messageId).toBe('stamped-1');
    expect(second.properties.messageId).toBe('stamped-1');
  });

  it('case 12: leaves out a timestamp that could not be read', () => {
    const copy = copyOfHeaders(null, { timestamp: 'garbage' });

    expect(copy.properties).toEqual({ messageId: 'stamped-1' });
  });

  it('every header of the sender, with its type as far as the event tells', () => {
    const { records } = decodeEvent(eventFixture('derived-header-types-43'));
    const message = records[2]?.message;
    if (message === undefined) throw new Error('no third record');

    const wire = wireOf(copyOf(message, stampOf(), 'q'));

    expect(wire.get('bool_true')).toEqual({ tag: 't', value: true });
    expect(wire.get('byte_neg')).toEqual({ tag: 'I', value: -5n });
    expect(wire.get('int_max')).toEqual({ tag: 'I', value: 2147483647n });
    expect(wire.get('long')).toEqual({ tag: 'l', value: 5000000000n });
    expect(wire.get('long_max')).toEqual({ tag: 'l', value: 9223372036854775807n });
    expect(wire.get('float_inexact')).toEqual({ tag: 'd', value: 0.1 });
    expect(wire.get('decimal')).toEqual({ tag: 'd', value: 12.34 });
    expect(wire.get('timestamp')).toEqual({
      tag: 'T',
      value: BigInt(Date.UTC(2025, 10, 30, 20) / 1000),
    });
    expect(wire.get('longstr_utf8')).toEqual({ tag: 'S', value: Buffer.from('héllo € 😀') });
    expect(wire.get('null')).toEqual({ tag: 'V' });
    expect(wire.get('table_empty')).toEqual({ tag: 'F', value: [] });
    expect(wire.get('array_empty')).toEqual({ tag: 'A', value: [] });
    expect(wire.get('bytearray')).toMatchObject({ tag: 'A' });
  });

  it('case 42: an id beyond 2^53 as the event gave it, which is not as it was sent', () => {
    const wire = wireOf(copyOfHeaders(JSON.parse('{"order-id":9007199254740993}')));

    expect(wire.get('order-id')).toEqual({ tag: 'l', value: 9_007_199_254_740_992n });
  });

  it('anything a stranger sends, through the event and amqplib', () => {
    fc.assert(
      fc.property(senderTable, (table) => {
        const wire = wireOf(copyOf(messageFromWire(table), stampOf(), 'q'));

        for (const [name, value] of table) {
          expect(sorted(wire.get(name))).toEqual(sorted(afterEvent(value)));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a copy leaves behind', () => {
  const message = messageWith(
    {
      'x-death': [
        {
          queue: longString('orders'),
          reason: longString('rejected'),
          exchange: longString('shop'),
          count: 1,
          'routing-keys': [longString('order.created')],
        },
      ],
      'x-first-death-queue': longString('orders'),
      'x-first-death-reason': longString('rejected'),
      'x-first-death-exchange': longString('shop'),
      'x-last-death-queue': longString('orders'),
      'x-delivery-count': 3,
      'x-acquired-count': 3,
      CC: [longString('others')],
      BCC: [longString('others')],
      tenant: longString('acme'),
    },
    { userId: 'shop-api', expiration: '2000' },
  );

  it('case 48: the expiration, and with it userId, CC, BCC and what the broker wrote', () => {
    const copy = copyOf(message, stampOf(), 'q');

    expect(copy.properties).toEqual({ messageId: 'stamped-1' });
    const foreign = Object.keys(copy.headers).filter(
      (name) => !/^x-(failure|retry|origin)-/.test(name),
    );
    expect(foreign).toEqual(['tenant']);
  });

  it('CC and BCC even where they are no lists of queues', () => {
    const { headers } = copyOfHeaders({ CC: 0, BCC: {} });

    expect(headers).not.toHaveProperty('CC');
    expect(headers).not.toHaveProperty('BCC');
  });

  it('keeps what they said as data', () => {
    expect(copyOf(message, stampOf(), 'q').headers).toMatchObject({
      'x-origin-queue': 'orders',
      'x-origin-exchange': 'shop',
      'x-origin-routing-key': 'order.created',
      'x-origin-user-id': 'shop-api',
      'x-origin-deadline': '2026-03-01T10:00:02.000Z',
      'x-origin-deaths': 'orders:rejected:1',
    });
  });

  it('case 50: forged blocks are not carried on', () => {
    const forged = {
      'x-failure-class': longString('security'),
      'x-failure-first-at': longString('1999-01-01T00:00:00Z'),
      'x-replay-count': -7,
      'x-origin-queue': longString('elsewhere'),
      'x-retry-not-before': longString('9999-01-01T00:00:00Z'),
    };

    const { headers } = copyOfHeaders(forged);

    expect(headers['x-failure-class']).toBe('transient');
    expect(headers['x-failure-first-at']).toBe(AT.toISOString());
    expect(headers['x-origin-queue']).toBe('orders');
    expect(headers['x-replay-count']).toBeUndefined();
    expect(headers['x-retry-not-before']).toBeUndefined();
  });

  it('case 50: sends on nothing inherited', () => {
    fc.assert(
      fc.property(strangerTable, (table) => {
        const copy = copyOf(messageFromWire(table), stampOf(), 'q');
        const names = new Set(table.map(([name]) => name));

        for (const name of wireOf(copy).keys()) {
          expect(names.has(name) || /^x-(failure|retry|origin)-/.test(name)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});
