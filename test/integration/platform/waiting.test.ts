import { describe, expect, it } from 'vitest';
import { applyTopology } from '../../../functions/topology/apply.ts';
import { waitQueueName } from '../../../functions/topology/names.ts';
import { managementGet } from '../../helpers/broker.ts';
import { Scratch } from '../../helpers/scratch.ts';
import { until } from '../../helpers/until.ts';

const SHORT_MS = 200;

/** A flow's queues on the real broker, with one short wait. */
async function aFlow(scratch: Scratch, base = 'orders') {
  const work = scratch.name(base);
  const topology = scratch.topology({ queue: work, delaysMs: [SHORT_MS] });
  await applyTopology(scratch.connection, topology, { mode: 'apply' });
  return { work, wait: waitQueueName(work, SHORT_MS), topology };
}

describe('a wait queue', () => {
  it('gives messages back to the work queue through the default exchange, in order', async () => {
    const scratch = await Scratch.open();
    const { work, wait } = await aFlow(scratch);
    for (const body of ['a', 'b', 'c']) await scratch.put(wait, body);

    const first = await scratch.take(work);
    scratch.channel.ack(first);
    const rest = await scratch.drain(work, 2);

    expect([first.content.toString(), ...rest]).toEqual(['a', 'b', 'c']);
    expect(first.fields).toMatchObject({ exchange: '', routingKey: work, redelivered: false });
    expect(first.properties.headers?.['x-death']?.[0]).toMatchObject({
      queue: wait,
      reason: 'expired',
      count: 1,
    });
  });

  it('keeps a message for its delay and no less', async () => {
    const scratch = await Scratch.open();
    const { work, wait } = await aFlow(scratch);
    const sentAtMs = performance.now();
    await scratch.put(wait, 'a');

    await scratch.take(work);

    expect(performance.now() - sentAtMs).toBeGreaterThanOrEqual(SHORT_MS - 20);
  });

  it('touches no sibling of the original exchange', async () => {
    const scratch = await Scratch.open();
    const { work, wait } = await aFlow(scratch);
    const exchange = await scratch.exchange('shop', 'topic');
    const sibling = await scratch.queue('sibling');
    await scratch.channel.bindQueue(work, exchange, 'order.*');
    await scratch.channel.bindQueue(sibling, exchange, 'order.*');
    scratch.channel.publish(exchange, 'order.placed', Buffer.from('once'));
    await scratch.channel.waitForConfirms();
    const original = await scratch.take(work);

    await scratch.put(wait, 'retry');
    scratch.channel.ack(original);
    const [retried] = await scratch.drain(work, 1);
    const atSibling = await scratch.drain(sibling, 1);

    expect(retried).toBe('retry');
    expect(atSibling).toEqual(['once']);
    expect(await scratch.ready(sibling)).toBe(0);
  });

  it('round after round, attempts are counted by our header alone, since copies carry no x-death', async () => {
    const scratch = await Scratch.open();
    const { work, wait } = await aFlow(scratch);
    await scratch.put(wait, 'm', { headers: { 'x-retry-count': 1 } });
    const seen: unknown[] = [];

    for (let round = 1; round <= 4; round += 1) {
      const message = await scratch.take(work);
      const headers = message.properties.headers ?? {};
      seen.push([headers['x-retry-count'], headers['x-death']?.[0]?.count]);
      // A copy as the consumer makes it: own headers only.
      await scratch.put(wait, 'm', { headers: { 'x-retry-count': round + 1 } });
      scratch.channel.ack(message);
    }

    // The broker's own count never rises, and no version drops the message as a cycle.
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
    expect(await scratch.drain(work, 1)).toEqual(['m']);
  });

  it('case 48: expiration left on a copy would end the wait early', async () => {
    const scratch = await Scratch.open();
    const work = scratch.name('orders');
    const topology = scratch.topology({ queue: work, delaysMs: [60_000] });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });

    await scratch.put(waitQueueName(work, 60_000), 'early', { expiration: '100' });

    expect(await scratch.drain(work, 1, 5_000)).toEqual(['early']);
  });

  it('case 48: expiration left on a copy would empty the parking queue', async () => {
    const scratch = await Scratch.open();
    const { topology } = await aFlow(scratch);
    const parked = topology.queues.find(({ role }) => role === 'parked')?.name ?? '';
    await scratch.put(parked, 'evaporates', { expiration: '100' });
    await scratch.put(parked, 'stays');

    await until('the first to be gone', async () => (await scratch.ready(parked)) === 1);

    expect(await scratch.drain(parked, 1)).toEqual(['stays']);
  });

  it('a wait in isolation comes back to isolation', async () => {
    const scratch = await Scratch.open();
    const { work } = await aFlow(scratch);

    await scratch.put(`${work}.isolated.wait`, 'suspect');

    expect(await scratch.drain(`${work}.isolated`, 1)).toEqual(['suspect']);
    expect(await scratch.ready(work)).toBe(0);
  });
});

describe('case 40: a wait queue whose target is gone', () => {
  it('keeps its messages, and no other flow waits for it', async () => {
    const scratch = await Scratch.open();
    const x = await aFlow(scratch, 'x');
    const y = await aFlow(scratch, 'y');
    await scratch.channel.deleteQueue(x.work);
    await scratch.put(x.wait, 'kept');
    await scratch.put(y.wait, 'returns');

    const returned = await scratch.drain(y.work, 1);
    const again = await applyTopology(scratch.connection, x.topology, { mode: 'apply' });

    expect(returned).toEqual(['returns']);
    // The target is made again; the wait queue is left as it is, with what it holds.
    expect(again.created).toEqual([x.work]);
    expect(again.unchanged).toContain(x.wait);
    // A passive declare says 0 by now; only the management API knows better, where there is one.
    expect(await scratch.ready(x.wait)).toBe(0);
    if (process.env.LAYOVER_TEST_MANAGEMENT_URL) {
      const path = `/api/queues/%2F/${encodeURIComponent(x.wait)}`;
      const total = await until(
        'a total from the management API',
        async () => {
          const queue = (await managementGet(path)) as { messages?: number } | undefined;
          return queue?.messages || undefined;
        },
        { timeoutMs: 20_000, intervalMs: 200 },
      );
      expect(total).toBe(1);
    }
  });
});

describe('case 64: a wait queue that is declared again and again', () => {
  it('is still there, with its messages', async () => {
    const scratch = await Scratch.open();
    const work = scratch.name('orders');
    const topology = scratch.topology({ queue: work, delaysMs: [3_000] });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    await scratch.put(waitQueueName(work, 3_000), 'kept');

    for (let round = 0; round < 10; round += 1) {
      await applyTopology(scratch.connection, topology, { mode: 'apply' });
    }

    expect(await scratch.drain(work, 1)).toEqual(['kept']);
  });
});
