import { describe, expect, it, onTestFinished } from 'vitest';
import { BrokerError, ChannelError, MessageError } from '../../../functions/broker/errors.ts';
import type { PeerPublish } from '../../helpers/amqp-peer.ts';
import { until } from '../../helpers/until.ts';
import { aCopy, aPeer, aSession, endings, tableOf, within } from './fixtures.ts';

/** Confirms whatever comes, at once. */
const confirm = ({ connection, channel, tag }: PeerPublish) => connection.ack(channel, tag);

/** Runs `script` when `count` publishes are there; what it gets is in the order of their tags. */
function when(count: number, script: (publishes: PeerPublish[]) => void) {
  const seen: PeerPublish[] = [];
  return (publish: PeerPublish) => {
    seen.push(publish);
    if (seen.length === count) script(seen);
  };
}

describe('a publish', () => {
  it('resolves when the broker has confirmed it', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);

    await session.publish(aCopy(), within(2_000));

    expect(peer.publishes).toHaveLength(1);
  });

  it('goes to the queue through the default exchange, persistent, mandatory and with its properties', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const copy = aCopy({
      properties: {
        contentType: 'application/json',
        contentEncoding: 'gzip',
        priority: 4,
        correlationId: 'c-1',
        replyTo: 'client.7',
        messageId: 'm-1',
        timestampSeconds: 1_700_000_000,
        type: 'OrderPlaced',
        appId: 'shop',
      },
    });

    await aSession(peer.url).publish(copy, within(2_000));

    expect(peer.publishes[0]).toMatchObject({
      exchange: '',
      routingKey: 'orders.wait.10s',
      mandatory: true,
      body: copy.body,
      properties: {
        deliveryMode: 2,
        contentType: 'application/json',
        contentEncoding: 'gzip',
        priority: 4,
        correlationId: 'c-1',
        replyTo: 'client.7',
        messageId: 'm-1',
        timestamp: 1_700_000_000,
        type: 'OrderPlaced',
        appId: 'shop',
        expiration: undefined,
        userId: undefined,
      },
    });
  });

  it('adds its token to the headers on the wire and leaves the copy as it was', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    const copy = aCopy();

    await session.publish(copy, within(2_000));
    await session.publish(copy, within(2_000));

    const tokens = peer.publishes.map(({ headers }) => headers['x-layover-publish']);
    expect(new Set(tokens).size).toBe(2);
    expect(peer.publishes[0]?.headers).toMatchObject({ 'x-tenant': 'acme' });
    expect(Object.keys(copy.headers)).toEqual(['x-tenant']);
  });

  it('case 50: a header named __proto__ plants nothing beside it', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const headers = tableOf({ plain: 1 });
    const planted = { 'x-retry-count': -100 };
    Object.defineProperty(headers, '__proto__', { value: planted, enumerable: true });

    await aSession(peer.url).publish(aCopy({ headers }), within(2_000));

    const sent = peer.publishes[0]?.properties.headers as object;
    expect(Object.keys(sent).sort()).toEqual(['plain', 'x-layover-publish']);
  });

  it('sends nothing that a polluted prototype would add', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(2_000));
    Object.defineProperty(Object.prototype, 'x-planted', {
      value: 'x',
      enumerable: true,
      configurable: true,
    });
    onTestFinished(() => {
      delete (Object.prototype as Record<string, unknown>)['x-planted'];
    });

    const published = session.publish(aCopy(), within(2_000));
    delete (Object.prototype as Record<string, unknown>)['x-planted'];
    await published;

    expect(Object.keys(peer.publishes[1]?.headers ?? {})).toEqual([
      'x-tenant',
      'x-layover-publish',
    ]);
  });

  it('sends an empty body', async () => {
    const peer = await aPeer({ onPublish: confirm });

    await aSession(peer.url).publish(aCopy({ body: Buffer.alloc(0) }), within(2_000));

    expect(peer.publishes[0]?.body).toHaveLength(0);
  });

  it('is pipelined: a thousand are on the wire before the first confirm', async () => {
    const peer = await aPeer({
      onPublish: when(1_000, ([first]) => first?.connection.ack(first.channel, 1_000, true)),
    });
    const session = aSession(peer.url);

    const results = await endings(
      Array.from({ length: 1_000 }, () => session.publish(aCopy(), within(10_000))),
    );

    expect(results.every((result) => result === 'ok')).toBe(true);
  });
});

describe('case 44: a return is matched to its own publish', () => {
  /** A has no route, B has; same body, same messageId. */
  async function publishTwo(script: (a: PeerPublish, b: PeerPublish) => void): Promise<string[]> {
    const peer = await aPeer({
      onPublish: when(2, ([a, b]) => {
        if (a !== undefined && b !== undefined) script(a, b);
      }),
    });
    const session = aSession(peer.url);
    const a = session.publish(aCopy({ queue: 'gone' }), within(2_000));
    const b = session.publish(aCopy({ queue: 'there' }), within(2_000));
    return endings([a, b]);
  }

  it('(1) return of A, ack of 2, ack of 1', async () => {
    const results = await publishTwo((a) => {
      a.connection.return(a);
      a.connection.ack(a.channel, 2);
      a.connection.ack(a.channel, 1);
    });

    expect(results).toEqual(['UNROUTABLE', 'ok']);
  });

  it('(2) return of A, one ack for both', async () => {
    const results = await publishTwo((a) => {
      a.connection.return(a);
      a.connection.ack(a.channel, 2, true);
    });

    expect(results).toEqual(['UNROUTABLE', 'ok']);
  });

  it('(3) no return, ack of 2, one nack up to 1', async () => {
    const results = await publishTwo((a) => {
      a.connection.ack(a.channel, 2);
      a.connection.nack(a.channel, 1, true);
    });

    expect(results).toEqual(['NACKED', 'ok']);
  });

  it('the return of B after the ack of A does not touch A', async () => {
    const results = await publishTwo((a, b) => {
      a.connection.ack(a.channel, 1);
      a.connection.return(b);
      a.connection.ack(a.channel, 2);
    });

    expect(results).toEqual(['ok', 'UNROUTABLE']);
  });

  it('a return with a token nobody sent is ignored', async () => {
    const peer = await aPeer({
      onPublish: (publish) => {
        const headers = { 'x-layover-publish': 'forged' };
        publish.connection.return({ ...publish, properties: { headers } });
        publish.connection.return({ ...publish, properties: {} });
        confirm(publish);
      },
    });

    await expect(aSession(peer.url).publish(aCopy(), within(2_000))).resolves.toBeUndefined();
  });
});

describe('case 52: exactly one settlement per publish', () => {
  async function settlements(onPublish: (publish: PeerPublish) => void) {
    const peer = await aPeer({ onPublish });
    const seen: string[] = [];
    await aSession(peer.url)
      .publish(aCopy(), within(2_000))
      .then(
        () => seen.push('ok'),
        (error: BrokerError) => seen.push(`${error.code} ${error.mayBeWritten}`),
      );
    const { connection } = await until('the publish', () => peer.publishes[0]);
    // A round trip later everything scripted has arrived.
    connection.closeConnection(320, 'CONNECTION_FORCED - end of script');
    await until('the end', () => connection.received.has('ConnectionCloseOk'));
    return seen;
  }

  it('(a) return, then ack: unroutable, once', async () => {
    const seen = await settlements((publish) => {
      publish.connection.return(publish);
      confirm(publish);
    });

    expect(seen).toEqual(['UNROUTABLE false']);
  });

  it('(b) ack, then the channel closes: confirmed, once', async () => {
    const seen = await settlements((publish) => {
      confirm(publish);
      publish.connection.closeChannel(publish.channel, 406, 'PRECONDITION_FAILED - late');
    });

    expect(seen).toEqual(['ok']);
  });

  it('(c) the channel closes, no ack: not confirmed and uncertain', async () => {
    const seen = await settlements((publish) =>
      publish.connection.closeChannel(publish.channel, 406, 'PRECONDITION_FAILED - first'),
    );

    expect(seen).toEqual(['CHANNEL_CLOSED true']);
  });

  it('a nack after a return changes nothing', async () => {
    const seen = await settlements((publish) => {
      publish.connection.return(publish);
      publish.connection.nack(publish.channel, publish.tag);
    });

    expect(seen).toEqual(['UNROUTABLE false']);
  });
});

describe('case 14 (1): a nacked park publish', () => {
  it('gives the next one a channel of its own, on the same connection', async () => {
    const peer = await aPeer({
      onPublish: ({ connection, channel, tag }) =>
        peer.publishes.length === 1 ? connection.nack(channel, tag) : connection.ack(channel, tag),
    });
    const session = aSession(peer.url);
    const ends = [];
    for (let n = 0; n < 3; n++) {
      ends.push(...(await endings([session.publish(aCopy(), within(2_000))])));
    }

    expect(ends).toEqual(['NACKED', 'ok', 'ok']);
    const [first, second, third] = peer.publishes.map(({ channel }) => channel);
    expect(second).not.toBe(first);
    expect(third).toBe(second);
    expect(peer.connections).toHaveLength(1);
  });

  it('rejects, so that the source is not given up', async () => {
    const peer = await aPeer({
      onPublish: ({ connection, channel, tag }) => connection.nack(channel, tag),
    });
    const parked = aSession(peer.url).publish(aCopy({ queue: 'orders.parked' }), within(2_000));

    await expect(parked).rejects.toMatchObject({
      code: 'NACKED',
      blast: 'message',
      retryable: true,
      mayBeWritten: false,
      message: 'Queue "orders.parked" refused the message (nack): it may be full or down.',
    });
  });
});

describe('what can not be sent', () => {
  it('headers over 64 KiB are TOO_LARGE and leave the others alone', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    const large = aCopy({ headers: tableOf({ large: 'x'.repeat(66_000) }) });

    const results = await endings([
      session.publish(aCopy(), within(2_000)),
      session.publish(large, within(2_000)),
      session.publish(aCopy(), within(2_000)),
    ]);

    expect(results).toEqual(['ok', 'TOO_LARGE', 'ok']);
    expect(peer.publishes).toHaveLength(2);
    expect(peer.connections).toHaveLength(1);
  });

  it.each([
    ['a property over 255 bytes', aCopy({ properties: { type: 'é'.repeat(128) } })],
    ['a queue name over 255 bytes', aCopy({ queue: 'q'.repeat(256) })],
    ['a header name over 255 bytes', aCopy({ headers: tableOf({ ['k'.repeat(256)]: 1 }) })],
    ['a value of no AMQP type', aCopy({ headers: tableOf({ f: (() => 1) as never }) })],
  ])('%s is UNENCODABLE and not worth another try', async (_what, copy) => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);

    const refused = await session.publish(copy, within(2_000)).catch((error: unknown) => error);
    const next = session.publish(aCopy(), within(2_000));

    expect(refused).toBeInstanceOf(MessageError);
    expect(refused).toMatchObject({ code: 'UNENCODABLE', retryable: false, mayBeWritten: false });
    await expect(next).resolves.toBeUndefined();
  });

  it('a body over the broker’s limit is blamed alone, and not sent a second time', async () => {
    const peer = await aPeer({
      onPublish: (publish) => {
        if (publish.body.length <= 100) return confirm(publish);
        publish.connection.closeChannel(
          publish.channel,
          406,
          'PRECONDITION_FAILED - message size 101 is larger than configured max size 100',
        );
      },
    });
    const session = aSession(peer.url);
    const large = aCopy({ body: Buffer.alloc(101) });

    const first = await endings([session.publish(large, within(2_000))]);
    const again = await endings([session.publish(large, within(2_000))]);
    const small = await endings([session.publish(aCopy(), within(2_000))]);

    expect([first, again, small]).toEqual([['TOO_LARGE'], ['TOO_LARGE'], ['ok']]);
    expect(peer.publishes.filter(({ body }) => body.length > 100)).toHaveLength(1);
  });
});

describe('a channel closed under its publishes', () => {
  it('ends all of them with the broker’s words, and the next publish opens another channel', async () => {
    const peer = await aPeer({
      onPublish: (publish) => {
        if (publish.tag === 3 && peer.publishes.length === 3) {
          publish.connection.ack(publish.channel, 1);
          publish.connection.closeChannel(publish.channel, 403, 'ACCESS_REFUSED - no');
        } else if (peer.publishes.length > 3) confirm(publish);
      },
    });
    const session = aSession(peer.url);
    const three = Array.from({ length: 3 }, () => session.publish(aCopy(), within(2_000)));

    const results = await Promise.allSettled(three);
    await session.publish(aCopy(), within(2_000));

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const { reason } = results[1] as PromiseRejectedResult;
    expect(reason).toBeInstanceOf(ChannelError);
    expect(reason).toMatchObject({ code: 'CHANNEL_CLOSED', retryable: true, mayBeWritten: true });
    expect((reason as Error).message).toContain('ACCESS_REFUSED - no');
    expect(peer.connections).toHaveLength(1);
  });
});

describe('case 24: backpressure', () => {
  it('a publish for which the buffer was full goes out once; later ones wait for the drain', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(5_000));
    const [connection] = peer.connections;
    connection?.pause();
    // Each message takes two chunks; amqplib's buffer holds 1,024.
    const body = Buffer.alloc(4_096);
    const count = 3_000;

    const all = Array.from({ length: count }, (_, index) =>
      session.publish(aCopy({ body, properties: { messageId: `m-${index}` } }), within(20_000)),
    );
    connection?.resume();
    await Promise.all(all);

    const ids = peer.publishes.slice(1).map(({ properties }) => properties.messageId);
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => `m-${index}`));
  });

  it('a copy still held at its deadline was never written', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(5_000));
    peer.connections[0]?.pause();
    const body = Buffer.alloc(4_096);

    const all = Array.from({ length: 3_000 }, () => session.publish(aCopy({ body }), within(300)));
    const results = await Promise.allSettled(all);

    const errors = results.map((result) => (result as PromiseRejectedResult).reason as BrokerError);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['NO_ANSWER']));
    expect(errors[0]).toMatchObject({ mayBeWritten: true });
    expect(errors.at(-1)).toMatchObject({ mayBeWritten: false });
    expect(errors.at(-1)?.message).toContain('it was not sent');

    // Nor is it written later, when the buffer has room again.
    peer.connections[0]?.resume();
    await session.publish(aCopy({ queue: 'the last' }), within(5_000));
    const written = peer.publishes.filter(({ body: { length } }) => length === body.length);
    expect(written).toHaveLength(errors.filter(({ mayBeWritten }) => mayBeWritten).length);
    expect(peer.publishes.at(-1)?.routingKey).toBe('the last');
  });
});

describe('deadlines', () => {
  it('no answer at all ends at the deadline, as uncertain', async () => {
    const peer = await aPeer();
    const startedAtMs = performance.now();

    const silent = aSession(peer.url).publish(aCopy(), within(2_000));

    await expect(silent).rejects.toMatchObject({
      code: 'NO_ANSWER',
      blast: 'connection',
      mayBeWritten: true,
    });
    expect(performance.now() - startedAtMs).toBeLessThan(8_000);
  });

  it('each publish has its own, whatever the order they were made in', async () => {
    const peer = await aPeer();
    const session = aSession(peer.url);
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);

    const late = session.publish(aCopy(), within(300)).catch(note('late'));
    const early = session.publish(aCopy(), within(100)).catch(note('early'));
    const middle = session.publish(aCopy(), within(200)).catch(note('middle'));
    await Promise.all([late, early, middle]);

    expect(ended).toEqual(['early', 'middle', 'late']);
  });

  it('one that has already passed sends nothing', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(2_000));

    const results = await endings([session.publish(aCopy(), within(-1))]);
    await session.publish(aCopy(), within(2_000));

    expect(results).toEqual(['NO_ANSWER']);
    expect(peer.publishes).toHaveLength(2);
  });

  it('a confirm after the deadline is ignored', async () => {
    const peer = await aPeer();
    const session = aSession(peer.url);

    const first = await endings([session.publish(aCopy(), within(1_500))]);
    const publish = await until('the publish', () => peer.publishes[0]);
    confirm(publish);
    peer.connections[0]?.return(publish);
    const second = session.publish(aCopy(), within(2_000));
    const next = await until('the next publish', () => peer.publishes[1]);
    confirm(next);

    expect(first).toEqual(['NO_ANSWER']);
    await expect(second).resolves.toBeUndefined();
  });
});

describe('errors', () => {
  it('say how far they reach', async () => {
    const peer = await aPeer({
      onPublish: (publish) => {
        publish.connection.return(publish);
        confirm(publish);
      },
    });

    const error = await aSession(peer.url)
      .publish(aCopy({ queue: 'gone' }), within(2_000))
      .catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(BrokerError);
    expect(error).toMatchObject({
      name: 'MessageError',
      code: 'UNROUTABLE',
      blast: 'message',
      message: 'No queue "gone" took the message: 312 NO_ROUTE.',
    });
  });
});
