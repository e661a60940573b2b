import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import type { Message } from '../../../functions/message/types.ts';
import {
  AT,
  copyOfHeaders,
  LATER,
  longString,
  messageWith,
  nextDelivery,
  stampOf,
} from './samples.ts';

describe('what a copy is stamped with', () => {
  it('tells why, since when, by whom and how often', () => {
    const stamp = stampOf({ labels: { tenant: 'acme' }, notBefore: LATER, retryCount: 2 });

    expect(copyOf(messageWith(null), stamp, 'q').headers).toEqual({
      'x-retry-count': { '!': 'int', value: 2 },
      'x-retry-not-before': '2026-03-01T10:05:00.000Z',
      'x-failure-class': 'transient',
      'x-failure-rule': 'http-503',
      'x-failure-signature': 'a1b2c3d4',
      'x-failure-name': 'PaymentError',
      'x-failure-code': 'E503',
      'x-failure-message': 'payment service answered 503',
      'x-failure-first-at': '2026-03-01T10:00:00.000Z',
      'x-failure-last-at': '2026-03-01T10:00:00.000Z',
      'x-failure-consumer': 'orders/12/req-1',
      'x-failure-labels': '{"tenant":"acme"}',
      'x-origin-queue': 'orders',
    });
  });

  it('keeps first-at and moves last-at', () => {
    const second = copyOf(nextDelivery(copyOfHeaders(null)), stampOf({ at: LATER }), 'q');

    expect(second.headers['x-failure-first-at']).toBe(AT.toISOString());
    expect(second.headers['x-failure-last-at']).toBe(LATER.toISOString());
  });

  const { failure: _failure, ...deferral } = stampOf({ at: LATER, retryCount: 1 });

  it('leaves the failure block as it was on a deferral', () => {
    const failed = nextDelivery(copyOf(messageWith(null), stampOf({ labels: { a: 'b' } }), 'q'));
    const deferred = nextDelivery(copyOf(failed, deferral, 'q'));

    expect(deferred.state).toEqual(failed.state);
  });

  it('says since when and by whom on a deferral that is the first move, and blames nobody', () => {
    const { headers } = copyOf(messageWith(null), { ...deferral, retryCount: 0 }, 'q');

    expect(headers).toEqual({
      'x-failure-first-at': LATER.toISOString(),
      'x-failure-consumer': 'orders/12/req-1',
      'x-origin-queue': 'orders',
    });
  });

  it('drops the lap when it has ended, and the mark when it has', () => {
    const marked = copyOf(messageWith(null), stampOf({ suspect: true, notBefore: LATER }), 'q');
    const cleared = copyOf(nextDelivery(marked), stampOf(), 'q');

    expect(marked.headers['x-failure-suspect']).toBe(true);
    expect(nextDelivery(marked).state).toMatchObject({ suspect: true, notBefore: LATER });
    expect(cleared.headers['x-failure-suspect']).toBeUndefined();
    expect(cleared.headers['x-retry-not-before']).toBeUndefined();
  });

  it('carries the replay block on', () => {
    const replayed = messageWith({
      'x-layover-publish': longString('token'),
      'x-replay-count': 2,
      'x-replay-run': longString('run-1'),
    });

    const { headers } = copyOf(replayed, stampOf(), 'q');

    expect(headers['x-replay-count']).toEqual({ '!': 'int', value: 2 });
    expect(headers['x-replay-run']).toBe('run-1');
  });

  it('keeps the origin of the first copy when the message comes back through a wait queue', () => {
    const first = copyOfHeaders(null, { userId: 'shop-api' });
    const back = nextDelivery(first);
    const fromWaiting: Message = {
      ...back,
      deaths: [{ queue: 'orders.wait.10s', reason: 'expired', count: 1, routingKeys: ['x'] }],
    };

    const { headers } = copyOf(fromWaiting, stampOf({ workQueue: 'other' }), 'q');

    expect(headers['x-origin-queue']).toBe('orders');
    expect(headers['x-origin-user-id']).toBe('shop-api');
    expect(headers['x-origin-deaths']).toBeUndefined();
    expect(headers['x-origin-routing-key']).toBeUndefined();
  });

  it('fixes the origin at the first copy even when a message carries a token already', () => {
    const published = messageWith({ 'x-layover-publish': longString('tool') });

    expect(copyOf(published, stampOf(), 'q').headers['x-origin-queue']).toBe('orders');
  });
});
