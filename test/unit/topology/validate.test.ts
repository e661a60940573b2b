import { describe, expect, it } from 'vitest';
import { TopologyError } from '../../../functions/topology/errors.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { validateTopology } from '../../../functions/topology/validate.ts';
import { validateQueue } from '../../../functions/topology/validate-queue.ts';
import { aFlow, aWaitQueue } from './fixtures.ts';

function refusalOf(queue: Parameters<typeof validateQueue>[0]): string {
  try {
    validateQueue(queue);
  } catch (error) {
    if (error instanceof TopologyError && error.code === 'BAD_ARGUMENT') return error.message;
    throw error;
  }
  return 'accepted';
}

const PARKED = { name: 'orders.parked', role: 'parked' } as const;
const WORK = { name: 'orders', role: 'work' } as const;
/** A wait queue's arguments without what only a wait queue has. */
const NO_WAIT = { 'x-message-ttl': undefined };
const NO_DLX = {
  ...NO_WAIT,
  'x-dead-letter-exchange': undefined,
  'x-dead-letter-routing-key': undefined,
  'x-dead-letter-strategy': undefined,
};

describe('a queue', () => {
  it('that is sound is accepted', () => {
    expect(refusalOf(aWaitQueue())).toBe('accepted');
    expect(refusalOf(aWaitQueue(NO_DLX, PARKED))).toBe('accepted');
    expect(refusalOf(aWaitQueue({ ...NO_WAIT, 'x-delivery-limit': 100 }, WORK))).toBe('accepted');
  });

  it('of someone else’s is not judged', () => {
    expect(refusalOf({ ...aWaitQueue(), declare: false, arguments: {} })).toBe('accepted');
  });

  it.each(['x-expires', 'expires', 'autoDelete', 'exclusive'])(
    'case 64: %s on a wait queue or parking is refused',
    (key) => {
      const why = `${key}: would delete the queue with its messages; remove it.`;

      expect(refusalOf(aWaitQueue({ [key]: 60_000 }))).toBe(`Queue "orders.wait.10s", ${why}`);
      expect(refusalOf(aWaitQueue({ ...NO_DLX, [key]: true }, PARKED))).toBe(
        `Queue "orders.parked", ${why}`,
      );
    },
  );

  it.each(['drop-head', 'reject-publish-dlx', undefined])(
    'case 14 (3): parking with overflow %s is refused',
    (overflow) => {
      const parked = aWaitQueue({ ...NO_DLX, 'x-max-length': 10, 'x-overflow': overflow }, PARKED);

      expect(refusalOf(parked)).toBe(
        `Queue "orders.parked", x-overflow: must be "reject-publish", got ${overflow === undefined ? 'nothing' : JSON.stringify(overflow)}; anything else discards the oldest messages of a full queue.`,
      );
    },
  );

  it.each([
    [undefined, 'nothing'],
    [-1, '-1'],
    [0, '0'],
    [20, '20'],
    [99, '99'],
    [2_000_000_001, '2000000001'],
    [1_000.5, '1000.5'],
    ['1000', '"1000"'],
  ])('case 32: a work queue with delivery limit %s is refused', (limit, shown) => {
    expect(refusalOf(aWaitQueue({ ...NO_WAIT, 'x-delivery-limit': limit }, WORK))).toBe(
      `Queue "orders", x-delivery-limit: must be a whole number from 100 to 2000000000, got ${shown}; without it, or with -1, one version of the broker or another drops messages.`,
    );
  });

  it.each([undefined, -1, 20, 1_999_999_999])(
    'case 32: a wait queue or parking with delivery limit %s is refused',
    (limit) => {
      expect(refusalOf(aWaitQueue({ 'x-delivery-limit': limit }))).toMatch(/exactly 2000000000/);
      expect(refusalOf(aWaitQueue({ ...NO_DLX, 'x-delivery-limit': limit }, PARKED))).toMatch(
        /exactly 2000000000/,
      );
    },
  );

  it('case 32: a work queue without a dead-letter exchange is refused', () => {
    expect(refusalOf(aWaitQueue({ ...NO_DLX, 'x-delivery-limit': 1_000 }, WORK))).toBe(
      'Queue "orders", x-dead-letter-exchange: must be "" (the default exchange), got nothing; without it the broker drops what it gives up on.',
    );
  });

  it.each([
    ['x-dead-letter-exchange', 'dlx', 'must be "" (the default exchange), got "dlx"'],
    ['x-dead-letter-routing-key', undefined, 'must name a queue, got nothing.'],
    ['x-dead-letter-strategy', undefined, 'must be "at-least-once", got nothing'],
    ['x-dead-letter-strategy', 'at-most-once', 'must be "at-least-once", got "at-most-once"'],
    ['x-queue-type', 'classic', 'must be "quorum", got "classic".'],
    ['x-queue-type', undefined, 'must be "quorum", got nothing.'],
  ])('a wait queue with %s %s is refused', (key, value, why) => {
    expect(refusalOf(aWaitQueue({ [key]: value }))).toContain(`${key}: ${why}`);
  });

  it.each([
    ['30000', '"30000"'],
    [undefined, 'nothing'],
    [0, '0'],
    [-5, '-5'],
    [1.5, '1.5'],
    [4_294_967_296, '4294967296'],
  ])('case 58: a TTL of %s is refused', (ttl, shown) => {
    expect(refusalOf(aWaitQueue({ 'x-message-ttl': ttl }))).toBe(
      `Queue "orders.wait.10s", x-message-ttl: must be a whole number of milliseconds from 1 to 4294967295 (49 days), got ${shown}.`,
    );
  });

  it.each([1, 4_294_967_295])('case 58: a TTL of %i is accepted', (ttl) => {
    expect(refusalOf(aWaitQueue({ 'x-message-ttl': ttl }))).toBe('accepted');
  });

  it('case 2: a TTL or a dead-letter exchange on parking is refused', () => {
    expect(refusalOf(aWaitQueue({ ...NO_DLX, 'x-message-ttl': 5 }, PARKED))).toMatch(
      /"parked" must not expire messages/,
    );
    expect(refusalOf(aWaitQueue(NO_WAIT, PARKED))).toMatch(/parking is where messages rest/);
  });

  it('a TTL on a work queue is refused', () => {
    expect(refusalOf(aWaitQueue({ 'x-delivery-limit': 1_000 }, WORK))).toMatch(
      /"work" must not expire messages/,
    );
  });

  it('a dead-letter target over 255 bytes is refused', () => {
    const queue = aWaitQueue({ 'x-dead-letter-routing-key': 'q'.repeat(256) });

    expect(() => validateQueue(queue)).toThrow(/has 256 bytes/);
  });
});

describe('a topology that came from elsewhere', () => {
  it('is judged like one of ours', () => {
    const sound = buildTopology([aFlow()]);
    const twice = { ...sound, queues: [...sound.queues, aWaitQueue()] };

    expect(() => validateTopology(sound)).not.toThrow();
    expect(() => validateTopology(twice)).toThrow(/"orders.wait.10s" is wanted by/);
  });
});
