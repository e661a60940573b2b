import { describe, expect, it } from 'vitest';
import { brokerDeathOf } from '../../../functions/message/broker-death.ts';
import { copyOf } from '../../../functions/message/copy.ts';
import { decodeDelivery } from '../../../functions/message/decode-delivery.ts';
import { decodeEvent } from '../../../functions/message/decode-event.ts';
import { CopyError } from '../../../functions/message/errors.ts';
import { replayCopyOf } from '../../../functions/message/replay-copy.ts';
import type { Death, Message } from '../../../functions/message/types.ts';
import { encodeHeaders, readBack } from './amqplib-codec.ts';
import {
  AT,
  eventFixture,
  LATER,
  longString,
  messageWith,
  nextDelivery,
  stampOf,
  wireOf,
} from './samples.ts';

const STAMP = {
  run: 'run-1',
  at: LATER,
  by: 'arn:aws:iam::123456789012:user/kim',
  reason: 'payment is back',
  ticket: 'INC-7',
  messageIdIfMissing: 'stamped-2',
} as const;

/** A message that failed, was parked, and was read from there with amqplib. */
function parked(headers: object = {}, properties: object = {}): Message {
  const failed = copyOf(
    messageWith(headers, properties),
    stampOf({ retryCount: 3, suspect: true, labels: { tenant: 'acme' } }),
    'orders.parked',
  );
  return decodeDelivery(readBack(failed), 'orders.parked', '/');
}

describe('replayCopyOf', () => {
  it('strips the failure and stamps who replays and why', () => {
    const copy = replayCopyOf(parked({ tenant: longString('acme') }), STAMP, 'orders');

    expect(copy.queue).toBe('orders');
    expect(copy.headers).toEqual({
      tenant: 'acme',
      'x-origin-queue': 'orders',
      'x-replay-count': { '!': 'int', value: 1 },
      'x-replay-run': 'run-1',
      'x-replay-at': LATER.toISOString(),
      'x-replay-by': STAMP.by,
      'x-replay-reason': STAMP.reason,
      'x-replay-ticket': 'INC-7',
    });
  });

  it('case 56: leaves tenant and x-tenant, and no bookkeeping of anybody', () => {
    const message = messageWith({
      'x-layover-publish': longString('token'),
      'x-retry-count': 5,
      'x-delivery-count': 21,
      'x-death': [{ queue: longString('orders'), reason: longString('rejected'), count: 1 }],
      'x-first-death-queue': longString('orders'),
      'x-failure-class': longString('transient'),
      'x-error-message': longString('boom'),
      tenant: longString('a'),
      'x-tenant': longString('b'),
    });

    const { headers } = replayCopyOf(message, STAMP, 'orders');

    const left = Object.keys(headers).filter((name) => !/^x-(replay|origin)-/.test(name));
    expect(left).toEqual(['tenant', 'x-tenant']);
  });

  it('case 56: the next failure is attempt 1 again', () => {
    const replayed = nextDelivery(replayCopyOf(parked(), STAMP, 'orders'));

    expect(replayed.state).toMatchObject({ own: true, retryCount: 0, suspect: false });
    expect(replayed.state).not.toHaveProperty('firstAt');
    expect(replayed.state).not.toHaveProperty('failure');
    expect(replayed.state).not.toHaveProperty('labels');
  });

  it('case 56: counts replays over the whole life of a message', () => {
    let message = parked();
    for (let round = 1; round <= 3; round += 1) {
      const replayed = nextDelivery(replayCopyOf(message, STAMP, 'orders'));
      expect(replayed.state.replay.count).toBe(round);
      message = nextDelivery(copyOf(replayed, stampOf(), 'orders.parked'));
    }
  });

  it('case 50: a forged replay count counts from 0', () => {
    const { headers } = replayCopyOf(messageWith({ 'x-replay-count': -100 }), STAMP, 'orders');

    expect(headers['x-replay-count']).toEqual({ '!': 'int', value: 1 });
  });

  it('case 34: keeps the id and the reply address', () => {
    const properties = {
      replyTo: 'client.7',
      correlationId: 'c1',
      messageId: 'm1',
      type: 'OrderPlaced',
      appId: 'shop',
      priority: 4,
    };

    const copy = replayCopyOf(parked({}, properties), STAMP, 'orders');

    expect(copy.properties).toEqual(properties);
  });

  it('case 8: says nothing of the delivery mode, so that it is published persistent', () => {
    const copy = replayCopyOf(parked({}, { deliveryMode: 1 }), STAMP, 'orders');

    expect(copy.properties).not.toHaveProperty('deliveryMode');
  });

  it('leaves out the ticket when there is none', () => {
    const { ticket: _ticket, ...stamp } = STAMP;

    expect(replayCopyOf(parked(), stamp, 'orders').headers).not.toHaveProperty('x-replay-ticket');
  });

  it('overwrites the block of the replay before', () => {
    const { ticket: _ticket, ...stamp } = { ...STAMP, run: 'run-2', by: 'schedule' };
    const again = nextDelivery(replayCopyOf(parked(), STAMP, 'orders'));

    const { headers } = replayCopyOf(again, stamp, 'orders');

    expect(headers).toMatchObject({ 'x-replay-run': 'run-2', 'x-replay-by': 'schedule' });
    expect(headers).not.toHaveProperty('x-replay-ticket');
  });

  it("keeps the sender's deadline, unless a person says otherwise", () => {
    const message = parked({}, { expiration: '2000' });

    expect(replayCopyOf(message, STAMP, 'orders').headers['x-origin-deadline']).toBe(
      '2026-03-01T10:00:02.000Z',
    );
    expect(
      replayCopyOf(message, { ...STAMP, ignoreDeadline: true }, 'orders').headers,
    ).not.toHaveProperty('x-origin-deadline');
  });

  it('has the headers of the sender with the types they had', () => {
    const sent = {
      n: 7,
      big: 5_000_000_000,
      list: [1, { k: longString('v') }],
      raw: { bytes: [-1] },
    };
    const first = wireOf(copyOf(messageWith(sent), stampOf(), 'q'));

    const wire = wireOf(replayCopyOf(parked(sent), STAMP, 'orders'));

    for (const name of Object.keys(sent)) expect(wire.get(name)).toEqual(first.get(name));
    expect(wire.get('x-origin-bytes')).toEqual(first.get('x-origin-bytes'));
  });

  it('case 50: keeps a header named __proto__ a header', () => {
    const headers = JSON.parse('{"__proto__":{"x-retry-count":-100}}');

    const wire = wireOf(replayCopyOf(parked(headers), STAMP, 'orders'));

    expect(wire.get('__proto__')?.tag).toBe('F');
    expect(wire.has('x-retry-count')).toBe(false);
  });

  it('throws for a message it cannot send on, so that it stays parked', () => {
    const message = { ...messageWith(null), headers: { big: 'x'.repeat(70_000) } };

    expect(() => replayCopyOf(message, STAMP, 'orders')).toThrow(CopyError);
    expect(
      replayCopyOf(message, STAMP, 'orders', { unsendable: 'drop' }).headers['x-origin-dropped'],
    ).toBe('big:70009');
  });
});

describe('replay of what others parked', () => {
  it("takes a broker's dead letter, with its route as data", () => {
    const dead = decodeEvent(eventFixture('derived-delivery-limit-dlq-43')).records[0]?.message;
    if (dead === undefined) throw new Error('no record');

    const copy = replayCopyOf(dead, STAMP, 'orders');

    expect(copy.properties).toEqual({ contentType: 'application/json', messageId: '9b30' });
    expect(copy.headers).toMatchObject({
      tenant: 'acme',
      'x-origin-queue': 'orders',
      'x-origin-exchange': '',
      'x-origin-routing-key': 'orders',
      'x-origin-deaths': 'orders:delivery_limit:1',
      'x-replay-count': { '!': 'int', value: 1 },
    });
    expect(Object.keys(copy.headers).filter((name) => name.includes('death-'))).toEqual([]);
    expect(encodeHeaders(copy.headers).includes('x-delivery-count')).toBe(false);
  });

  it("takes Spring's, without its exception, its route and its counters", () => {
    const message = messageWith({
      'x-exception-message': longString('boom'),
      'x-exception-stacktrace': longString('at …'),
      'x-original-exchange': longString('shop'),
      'x-original-routingKey': longString('order.created'),
      retry_count: 3,
      'x-retries': 3,
      tenant: longString('a'),
    });

    const { headers, properties } = replayCopyOf(message, STAMP, 'orders');

    const left = Object.keys(headers).filter((name) => !/^x-(replay|origin)-/.test(name));
    expect(left).toEqual(['tenant']);
    expect(properties.messageId).toBe('stamped-2');
  });

  it("leaves Spring's headers alone on a retry copy, where they are evidence", () => {
    const message = messageWith({ 'x-exception-message': longString('boom') });

    expect(copyOf(message, stampOf({ at: AT }), 'q').headers['x-exception-message']).toBe('boom');
  });
});

describe('brokerDeathOf', () => {
  const QUEUES = ['orders', 'orders.isolated'];
  const death = (queue: string, reason: string): Death => ({
    queue,
    reason,
    count: 1,
    routingKeys: [],
  });

  it.each([
    ['delivery_limit', 'undelivered'],
    ['expired', 'stale'],
    ['maxlen', 'backpressure'],
    ['rejected', 'unknown'],
    ['something_new', 'unknown'],
  ])('a death by %s is %s', (reason, expected) => {
    for (const queue of QUEUES) {
      expect(brokerDeathOf({ deaths: [death(queue, reason)] }, QUEUES)).toEqual({
        class: expected,
        death: death(queue, reason),
      });
    }
  });

  it('is none without deaths, and none for a wait queue, where expiring is the way back', () => {
    expect(brokerDeathOf({ deaths: [] }, QUEUES)).toBeUndefined();
    expect(
      brokerDeathOf({ deaths: [death('orders.wait.10s', 'expired')] }, QUEUES),
    ).toBeUndefined();
  });

  it('looks at the newest death only', () => {
    const deaths = [death('orders', 'delivery_limit'), death('orders.wait.10s', 'expired')];

    expect(brokerDeathOf({ deaths }, QUEUES)?.class).toBe('undelivered');
    expect(brokerDeathOf({ deaths: deaths.toReversed() }, QUEUES)).toBeUndefined();
  });

  it('is seen on a copy of ours that the broker dead-lettered afterwards', () => {
    const copy = copyOf(messageWith(null), stampOf(), 'orders.isolated');
    const dead = nextDelivery({
      ...copy,
      headers: {
        ...copy.headers,
        'x-death': [{ queue: 'orders.isolated', reason: 'delivery_limit', count: 1 }],
      },
    } as never);

    expect(dead.state.failure?.class).toBe('transient');
    expect(brokerDeathOf(dead, QUEUES)?.class).toBe('undelivered');
  });

  it('never shows on a parked copy of ours', () => {
    const before = messageWith({
      'x-death': [{ queue: longString('orders'), reason: longString('rejected'), count: 1 }],
    });

    const copy = nextDelivery(copyOf(before, stampOf(), 'orders.parked'));

    expect(brokerDeathOf(before, QUEUES)?.class).toBe('unknown');
    expect(brokerDeathOf(copy, QUEUES)).toBeUndefined();
  });
});
