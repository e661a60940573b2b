import { describe, expect, it } from 'vitest';
import { applyTopology } from '../../../functions/topology/apply.ts';
import { readyCounts } from '../../../infra/local/books/counts.ts';
import { scanParking } from '../../../infra/local/books/parking-scan.ts';
import { claimTopology, deleteCreated } from '../../../infra/local/claim-topology.ts';
import { LocalRunError } from '../../../infra/local/errors.ts';
import { publishPlan } from '../../../infra/local/publish-plan.ts';
import type { PlannedMessage } from '../../../infra/local/scenarios/types.ts';
import { Scratch } from '../../helpers/scratch.ts';
import { until } from '../../helpers/until.ts';

const MASKED = 'amqp://guest:***@broker';
const never = new AbortController().signal;

describe('claiming a topology', () => {
  it('finds everything missing, and deletes exactly that at the end', async () => {
    const scratch = await Scratch.open();
    const queue = scratch.name('orders');
    const bindings = [
      {
        exchange: scratch.exchangeName('shop'),
        type: 'topic' as const,
        routingKey: 'order.placed',
      },
    ];
    const topology = scratch.topology({ queue, delaysMs: [100], bindings });
    const created = await claimTopology(scratch.connection, topology, MASKED);
    expect(created.queues).toEqual(topology.queues.map(({ name }) => name));
    expect(created.exchanges).toHaveLength(1);
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    await scratch.put(queue, 'left over');
    await deleteCreated(scratch.connection, created);
    for (const { name } of topology.queues) expect(await scratch.exists(name)).toBe(false);
  });

  it('leaves alone what was there before, though it is empty', async () => {
    const scratch = await Scratch.open();
    const topology = scratch.topology({ queue: scratch.name('orders'), delaysMs: [100] });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    const created = await claimTopology(scratch.connection, topology, MASKED);
    expect(created.queues).toEqual([]);
    await deleteCreated(scratch.connection, created);
    for (const { name } of topology.queues) expect(await scratch.exists(name)).toBe(true);
  });

  it('refuses when a queue holds messages, says where, and touches nothing', async () => {
    const scratch = await Scratch.open();
    const queue = scratch.name('orders');
    const topology = scratch.topology({ queue, delaysMs: [100] });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    await scratch.put(`${queue}.parked`, 'somebody’s');
    const claim = claimTopology(scratch.connection, topology, MASKED);
    await expect(claim).rejects.toThrow(LocalRunError);
    await expect(claim).rejects.toMatchObject({ code: 'LEFTOVERS' });
    await expect(claim).rejects.toThrow(`${queue}.parked: messages 1`);
    await expect(claim).rejects.toThrow(MASKED);
    expect(await scratch.ready(`${queue}.parked`)).toBe(1);
  });

  it('refuses when somebody reads a queue', async () => {
    const scratch = await Scratch.open();
    const queue = scratch.name('orders');
    const topology = scratch.topology({ queue, delaysMs: [100] });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    await scratch.channel.consume(queue, () => {});
    const claim = claimTopology(scratch.connection, topology, MASKED);
    await expect(claim).rejects.toThrow(`${queue}: being read by somebody`);
  });
});

describe('counting', () => {
  it('leaves out a queue that does not exist, and counts the others', async () => {
    const scratch = await Scratch.open();
    const [one, two] = [await scratch.queue('one'), await scratch.queue('two')];
    await scratch.put(two, 'a');
    const counts = await readyCounts(scratch.connection, [one, scratch.name('none'), two]);
    expect([...counts]).toEqual([
      [one, { messages: 0, consumers: 0 }],
      [two, { messages: 1, consumers: 0 }],
    ]);
  });
});

describe('reading a parking queue', () => {
  async function parking(scratch: Scratch): Promise<string> {
    return scratch.queue('parked', { 'x-delivery-limit': 2_000_000_000 });
  }

  it('reads class and attempt of each message and leaves all where they were', async () => {
    const scratch = await Scratch.open();
    const queue = await parking(scratch);
    await scratch.put(queue, '1', {
      messageId: 'm-1',
      headers: { 'x-failure-class': 'transient', 'x-retry-count': 4 },
    });
    await scratch.put(queue, '2', { messageId: 'm-2', headers: { 'x-failure-class': 'bug' } });
    await scratch.put(queue, '3');
    const expected = [
      { messageId: 'm-1', class: 'transient', attempt: 5 },
      { messageId: 'm-2', class: 'bug', attempt: 1 },
      { messageId: '(no messageId)', class: 'unknown', attempt: 0 },
    ];
    expect(await scanParking(scratch.connection, queue)).toEqual(expected);
    await until('all are ready again', async () => (await scratch.ready(queue)) === 3);
    expect(await scratch.drain(queue, 3)).toEqual(['1', '2', '3']);
  });

  it('survives being read again and again', async () => {
    const scratch = await Scratch.open();
    const queue = await parking(scratch);
    for (let n = 0; n < 20; n++) await scratch.put(queue, `${n}`, { messageId: `m-${n}` });
    for (let look = 0; look < 25; look++) {
      const found = await until('the messages are back', async () => {
        const messages = await scanParking(scratch.connection, queue);
        return messages.length === 20 && messages;
      });
      expect(found.map(({ messageId }) => messageId)).toEqual(
        Array.from({ length: 20 }, (_, n) => `m-${n}`),
      );
    }
  });

  it('reads an empty one', async () => {
    const scratch = await Scratch.open();
    expect(await scanParking(scratch.connection, await parking(scratch))).toEqual([]);
  });

  it('takes the class of a broker’s own dead letter from what the broker did', async () => {
    const scratch = await Scratch.open();
    const parked = await parking(scratch);
    const work = await scratch.queue('work', {
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': parked,
    });
    await scratch.put(work, 'x', { messageId: 'm-1', headers: { 'x-failure-class': 'bug' } });
    scratch.channel.nack(await scratch.take(work), false, false);
    await until('it is parked', async () => (await scratch.ready(parked)) === 1);
    const [message] = await scanParking(scratch.connection, parked);
    expect(message).toMatchObject({ messageId: 'm-1', class: 'unknown' });
  });
});

describe('publishing a plan', () => {
  const planned = (exchange: string, count: number): PlannedMessage[] =>
    Array.from({ length: count }, (_, index) => ({
      messageId: `m-${index}`,
      workId: `w-${index}`,
      fate: 'fine',
      exchange,
      routingKey: 'order.placed',
      type: 'OrderPlaced',
      body: Buffer.from(`${index}`),
    }));

  it('counts what the broker confirmed, message by message, and keeps the order', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('orders');
    const exchange = await scratch.exchange('shop', 'topic');
    await scratch.channel.bindQueue(queue, exchange, 'order.*');
    const confirmed: string[] = [];
    await publishPlan(scratch.connection, planned(exchange, 200), {
      spreadMs: 200,
      signal: never,
      onConfirmed: ({ messageId }) => confirmed.push(messageId),
    });
    expect(new Set(confirmed).size).toBe(200);
    expect(await scratch.drain(queue, 200)).toEqual(
      planned('', 200).map(({ body }) => String(body)),
    );
  });

  it('fails when nothing is bound, rather than keep books over messages that never were', async () => {
    const scratch = await Scratch.open();
    const exchange = await scratch.exchange('shop', 'topic');
    const publishing = publishPlan(scratch.connection, planned(exchange, 3), {
      spreadMs: 0,
      signal: never,
      onConfirmed: () => {},
    });
    await expect(publishing).rejects.toThrow(/3 messages came back: nothing is bound/);
  });

  it('fails when the broker refuses a message because the queue is full', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('full', {
      'x-max-length': 1,
      'x-overflow': 'reject-publish',
    });
    const exchange = await scratch.exchange('shop', 'topic');
    await scratch.channel.bindQueue(queue, exchange, '#');
    const publish = () =>
      publishPlan(scratch.connection, planned(exchange, 5), {
        spreadMs: 0,
        signal: never,
        onConfirmed: () => {},
      });
    // A quorum queue takes some more before it knows that it is full.
    const refusal: unknown = await until('the queue is full', () =>
      publish().then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(refusal).toMatchObject({ name: 'LocalRunError', code: 'PUBLISH_FAILED' });
  });

  it('ends at once when the run is interrupted', async () => {
    const scratch = await Scratch.open();
    const exchange = await scratch.exchange('shop', 'topic');
    const publishing = publishPlan(scratch.connection, planned(exchange, 1_000), {
      spreadMs: 60_000,
      signal: AbortSignal.abort(new Error('interrupted')),
      onConfirmed: () => {},
    });
    await expect(publishing).rejects.toThrow('interrupted');
  });
});
