import { describe, expect, it } from 'vitest';
import {
  exchangeMismatch,
  parseInequivalence,
  queueMismatch,
} from '../../../functions/topology/problems.ts';
import { aWaitQueue } from './fixtures.ts';

const inequivalent = (argument: string, values: string) =>
  `PRECONDITION_FAILED - inequivalent arg '${argument}' for queue 'orders.wait.10s' in vhost '/': ${values}`;

describe('parseInequivalence', () => {
  it.each([
    ["received '20000' but current is '10000'", '10000'],
    ["received none but current is the value '10000' of type 'short'", '10000'],
    ["received the value 'x' of type 'longstr' but current is none", 'none'],
    ["received 'classic' but current is 'quorum'", 'quorum'],
    ["received the value 'x' of type 'longstr' but current is the value '' of type 'longstr'", ''],
  ])('reads: %s', (values, found) => {
    expect(parseInequivalence(inequivalent('x-message-ttl', values))).toEqual({
      argument: 'x-message-ttl',
      found,
    });
  });

  it('gives the argument alone when the broker had no room for the values', () => {
    const cut = `${inequivalent('x-message-ttl', '').slice(0, 90)}...`;

    expect(parseInequivalence(cut)).toEqual({ argument: 'x-message-ttl' });
  });

  it('gives nothing for another text', () => {
    expect(parseInequivalence('PRECONDITION_FAILED - invalid arg x')).toBeUndefined();
  });
});

describe('queueMismatch', () => {
  it('case 58: names the queue, the argument, both values and the way out', () => {
    const text = inequivalent('x-message-ttl', "received '10000' but current is '20000'");

    expect(queueMismatch(aWaitQueue(), text)).toEqual({
      kind: 'mismatch',
      entity: 'queue',
      name: 'orders.wait.10s',
      argument: 'x-message-ttl',
      wanted: '10000',
      found: '20000',
      message:
        'Queue "orders.wait.10s" exists with x-message-ttl 20000, wanted is 10000. Arguments never change in place, and Layover deletes nothing. Give the tier another delay, which is another queue, and let this one drain; or delete it yourself once it is empty.',
    });
  });

  it.each([
    ['durable', 'true'],
    ['auto_delete', 'false'],
    ['x-max-length', 'none'],
  ])('knows what is wanted of %s', (argument, wanted) => {
    const text = inequivalent(argument, "received 'a' but current is 'b'");

    expect(queueMismatch(aWaitQueue(), text)).toMatchObject({ argument, wanted, found: 'b' });
  });

  it.each([
    ['work', /Set the flow "orders" to an existing queue, or drain the queue/],
    ['isolated', /Move its messages elsewhere and delete it yourself/],
    ['parked', /Move its messages elsewhere and delete it yourself/],
  ] as const)('the way out of a %s queue fits its role', (role, wayOut) => {
    const text = inequivalent('x-overflow', "received 'a' but current is none");

    expect(queueMismatch(aWaitQueue({}, { role }), text).message).toMatch(wayOut);
  });

  it('another refusal is told in the broker’s words', () => {
    expect(queueMismatch(aWaitQueue(), 'PRECONDITION_FAILED - quorum says no')).toEqual({
      kind: 'refused',
      entity: 'queue',
      name: 'orders.wait.10s',
      message: 'The broker refused queue "orders.wait.10s": PRECONDITION_FAILED - quorum says no.',
    });
  });
});

describe('exchangeMismatch', () => {
  it('names the exchange, both types and the way out', () => {
    const text =
      "PRECONDITION_FAILED - inequivalent arg 'type' for exchange 'shop' in vhost '/': received 'topic' but current is 'direct'";

    expect(exchangeMismatch({ name: 'shop', type: 'topic' }, text)).toMatchObject({
      kind: 'mismatch',
      entity: 'exchange',
      argument: 'type',
      wanted: 'topic',
      found: 'direct',
      message: expect.stringContaining('Exchange "shop" exists with type direct, wanted is topic.'),
    });
  });
});
