import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import { knownOrigin } from '../../../functions/message/origin.ts';
import { copyOfHeaders, LATER, messageWith, nextDelivery, stampOf } from './samples.ts';

describe('case 48: the deadline of a message with an expiration', () => {
  const deadline = (expiration: unknown, timestamp: string | null = null) =>
    copyOfHeaders(null, { expiration, timestamp }).headers['x-origin-deadline'];

  it.each([
    ['2000', null, '2026-03-01T10:00:02.000Z'],
    [2000, null, '2026-03-01T10:00:02.000Z'],
    ['0', null, '2026-03-01T10:00:00.000Z'],
    ['2000', 'Mar 1, 2026, 9:59:59 AM', '2026-03-01T10:00:01.000Z'],
    // Sent an hour ago, yet the broker had not expired it: not in the past.
    ['2000', 'Mar 1, 2026, 9:00:00 AM', '2026-03-01T10:00:00.000Z'],
    // The sender's clock is ahead: not later than from now.
    ['2000', 'Mar 1, 2026, 11:00:00 AM', '2026-03-01T10:00:02.000Z'],
    ['9999999999', null, '2026-04-20T03:02:47.295Z'],
  ])('with %j and timestamp %j is %s', (expiration, timestamp, expected) => {
    expect(deadline(expiration, timestamp)).toBe(expected);
  });

  it.each(['1500.7', '-1', 'NaN', '', 'soon', '1e3', '99999999999', null])(
    'is none with an expiration of %j',
    (expiration) => {
      expect(deadline(expiration)).toBeUndefined();
    },
  );

  it('is kept by later copies, whatever the time', () => {
    const first = copyOfHeaders(null, { expiration: '60000' });
    const second = copyOf(nextDelivery(first), stampOf({ at: LATER }), 'q');

    expect(second.headers['x-origin-deadline']).toBe('2026-03-01T10:01:00.000Z');
  });
});

describe('knownOrigin', () => {
  it('knows nothing of a first delivery but the user', () => {
    expect(knownOrigin(messageWith(null, { userId: 'u' }))).toEqual({ userId: 'u' });
    expect(knownOrigin(messageWith(null))).toEqual({});
  });

  it('takes the route from the first death by name, else from the oldest', () => {
    const death = (queue: string, first?: true) => ({
      queue,
      reason: 'rejected',
      count: 1,
      exchange: `${queue}-exchange`,
      routingKeys: [`${queue}-key`],
      ...(first === undefined ? {} : { first }),
    });
    const base = messageWith(null);

    expect(knownOrigin({ ...base, deaths: [death('a', true), death('b')] })).toMatchObject({
      exchange: 'a-exchange',
      routingKey: 'a-key',
      deaths: 'a:rejected:1, b:rejected:1',
    });
    expect(knownOrigin({ ...base, deaths: [death('a'), death('b')] }).exchange).toBe('b-exchange');
  });

  it("is what a copy's headers say", () => {
    const back = nextDelivery(copyOfHeaders(null, { userId: 'u', expiration: '2000' }));

    expect(knownOrigin(back)).toEqual({
      queue: 'orders',
      userId: 'u',
      deadline: new Date('2026-03-01T10:00:02.000Z'),
    });
  });
});
