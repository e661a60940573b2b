import { describe, expect, it } from 'vitest';
import { applyTopology, TopologyApplyError } from '../../functions/topology/apply.ts';
import { parkedQueueName, waitQueueName } from '../../functions/topology/names.ts';
import type { QueueModel, Topology } from '../../functions/topology/types.ts';
import { Scratch } from '../helpers/scratch.ts';

/** The topology with one queue's arguments changed. */
function changed(topology: Topology, name: string, args: Record<string, unknown>): Topology {
  const queues = topology.queues.map((queue) =>
    queue.name === name
      ? { ...queue, arguments: { ...queue.arguments, ...args } as QueueModel['arguments'] }
      : queue,
  );
  return { ...topology, queues };
}

async function aFlow(delaysMs = [10_000, 60_000]) {
  const scratch = await Scratch.open();
  const work = scratch.name('orders');
  const exchange = scratch.exchangeName('shop');
  const bindings = [{ exchange, type: 'topic' as const, routingKey: 'order.*' }];
  return {
    scratch,
    work,
    exchange,
    topology: scratch.topology({ queue: work, delaysMs, bindings }),
  };
}

describe('applying', () => {
  it('makes everything, and the second time nothing', async () => {
    const { scratch, work, exchange, topology } = await aFlow();

    const first = await applyTopology(scratch.connection, topology, { mode: 'apply' });
    const second = await applyTopology(scratch.connection, topology, { mode: 'apply' });

    const all = [exchange, ...topology.queues.map(({ name }) => name)];
    expect(first).toEqual({ mode: 'apply', created: all, unchanged: [], problems: [] });
    expect(second).toEqual({ mode: 'apply', created: [], unchanged: all, problems: [] });
    scratch.channel.publish(exchange, 'order.placed', Buffer.from('bound'));
    expect(await scratch.drain(work, 1)).toEqual(['bound']);
  });

  it('makes only what is missing', async () => {
    const { scratch, work, topology } = await aFlow();
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    await scratch.channel.deleteQueue(parkedQueueName(work));

    const report = await applyTopology(scratch.connection, topology, { mode: 'apply' });

    expect(report.created).toEqual([parkedQueueName(work)]);
  });

  it('reports a changed argument with queue, argument, both values and the way out, and every one', async () => {
    const { scratch, work, topology } = await aFlow();
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    const wait = waitQueueName(work, 10_000);
    const parked = parkedQueueName(work);
    const wanted = changed(changed(topology, wait, { 'x-message-ttl': 20_000 }), parked, {
      'x-delivery-limit': 50,
    });

    const error = await applyTopology(scratch.connection, wanted, { mode: 'apply' }).catch(
      (reason: unknown) => reason,
    );

    expect(error).toBeInstanceOf(TopologyApplyError);
    expect((error as TopologyApplyError).problems).toEqual([
      expect.objectContaining({
        kind: 'mismatch',
        name: wait,
        argument: 'x-message-ttl',
        wanted: '20000',
        found: '10000',
        message: expect.stringMatching(
          /exists with x-message-ttl 10000, wanted is 20000\. .*drain/,
        ),
      }),
      expect.objectContaining({
        name: parked,
        argument: 'x-delivery-limit',
        wanted: '50',
        found: '2000000000',
      }),
    ]);
    expect((error as Error).message.split('\n')).toHaveLength(2);
  });

  it('goes on after a problem, and makes the rest', async () => {
    const { scratch, work, topology } = await aFlow();
    await scratch.channel.assertQueue(work, { arguments: { 'x-queue-type': 'classic' } });

    const error = await applyTopology(scratch.connection, topology, { mode: 'apply' }).catch(
      (reason: unknown) => reason as TopologyApplyError,
    );

    expect(error).toMatchObject({
      code: 'NOT_APPLIED',
      // Which argument is named first is the broker's choice.
      problems: [{ kind: 'mismatch', name: work }],
    });
    expect(await scratch.exists(parkedQueueName(work))).toBe(true);
  });

  it('leaves a queue that differs as it is, with its messages', async () => {
    const { scratch, work, topology } = await aFlow();
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    const parked = parkedQueueName(work);
    await scratch.put(parked, 'evidence');

    const wanted = changed(topology, parked, { 'x-delivery-limit': 50 });
    await applyTopology(scratch.connection, wanted, { mode: 'apply' }).catch(() => undefined);

    expect(await scratch.drain(parked, 1)).toEqual(['evidence']);
  });

  it('reports an exchange of another type', async () => {
    const { scratch, work, exchange, topology } = await aFlow();
    await scratch.exchange('shop', 'direct');

    const error = await applyTopology(scratch.connection, topology, { mode: 'apply' }).catch(
      (reason: unknown) => reason as TopologyApplyError,
    );

    expect(error).toMatchObject({
      problems: [
        { entity: 'exchange', name: exchange, argument: 'type', wanted: 'topic', found: 'direct' },
      ],
    });
    expect(await scratch.exists(work)).toBe(true);
  });

  it('reports what the broker refuses in its own words', async () => {
    const { scratch, topology } = await aFlow();
    const [first] = topology.queues;
    const queues = first === undefined ? [] : [{ ...first, name: 'amq.reserved' }];

    const error = await applyTopology(
      scratch.connection,
      { exchanges: [], queues, bindings: [] },
      { mode: 'apply' },
    ).catch((reason: unknown) => reason as TopologyApplyError);

    expect(error).toMatchObject({
      problems: [{ kind: 'refused', message: expect.stringContaining("reserved prefix 'amq.*'") }],
    });
  });

  it('binds with arguments', async () => {
    const scratch = await Scratch.open();
    const work = scratch.name('orders');
    const exchange = scratch.exchangeName('shop');
    const binding = { exchange, type: 'headers', routingKey: '' } as const;
    const topology = scratch.topology({
      queue: work,
      delaysMs: [10_000],
      bindings: [{ ...binding, arguments: { 'x-match': 'all', kind: 'order' } }],
    });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });

    scratch.channel.publish(exchange, '', Buffer.from('no'), { headers: { kind: 'mail' } });
    scratch.channel.publish(exchange, '', Buffer.from('yes'), { headers: { kind: 'order' } });
    await scratch.channel.waitForConfirms();

    expect(await scratch.drain(work, 1)).toEqual(['yes']);
  });

  it('a lost connection ends it, as INTERRUPTED', async () => {
    const { scratch, topology } = await aFlow();
    await scratch.connection.close();

    await expect(
      applyTopology(scratch.connection, topology, { mode: 'apply' }),
    ).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

describe('checking', () => {
  it('makes nothing, and lists all that is missing', async () => {
    const { scratch, work, exchange, topology } = await aFlow();

    const report = await applyTopology(scratch.connection, topology, { mode: 'check' });

    expect(report.problems.map(({ kind, name }) => [kind, name])).toEqual(
      [exchange, ...topology.queues.map(({ name }) => name)].map((name) => ['missing', name]),
    );
    expect(await scratch.exists(work)).toBe(false);
  });

  it('compares what is there, and throws nothing', async () => {
    const { scratch, work, topology } = await aFlow();
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    const wait = waitQueueName(work, 60_000);
    const wanted = changed(topology, wait, { 'x-message-ttl': 61_000 });

    const sound = await applyTopology(scratch.connection, topology, { mode: 'check' });
    const differing = await applyTopology(scratch.connection, wanted, { mode: 'check' });

    expect(sound.problems).toEqual([]);
    expect(differing.problems).toMatchObject([{ name: wait, found: '60000', wanted: '61000' }]);
  });
});

describe('a work queue that belongs to someone else', () => {
  /** A classic queue with arguments Layover would never give one. */
  async function anExistingQueue() {
    const scratch = await Scratch.open();
    const work = scratch.name('theirs');
    await scratch.channel.assertQueue(work, { arguments: { 'x-max-length': 7 } });
    const topology = scratch.topology({ queue: work, queueMode: 'existing', delaysMs: [200] });
    return { scratch, work, topology };
  }

  it('is checked and never declared; the queues around it are made', async () => {
    const { scratch, work, topology } = await anExistingQueue();

    const report = await applyTopology(scratch.connection, topology, { mode: 'apply' });

    expect(report.unchanged).toEqual([work]);
    expect(report.created).toEqual(topology.queues.slice(1).map(({ name }) => name));
  });

  it('gets its messages back from the wait queue', async () => {
    const { scratch, work, topology } = await anExistingQueue();
    await applyTopology(scratch.connection, topology, { mode: 'apply' });

    await scratch.put(waitQueueName(work, 200), 'back');

    expect(await scratch.drain(work, 1)).toEqual(['back']);
  });

  it('is reported when it is missing', async () => {
    const { scratch, work, topology } = await anExistingQueue();
    await scratch.channel.deleteQueue(work);

    const error = await applyTopology(scratch.connection, topology, { mode: 'apply' }).catch(
      (reason: unknown) => reason as TopologyApplyError,
    );

    expect(error).toMatchObject({
      problems: [
        { kind: 'missing', name: work, message: expect.stringContaining('ask its owner') },
      ],
    });
    expect(await scratch.exists(work)).toBe(false);
  });
});

describe('case 58: another delay', () => {
  it('30 s → 45 s makes a second queue; the first keeps its messages and drains', async () => {
    const scratch = await Scratch.open();
    const work = scratch.name('orders');
    const before = scratch.topology({ queue: work, delaysMs: [300] });
    const after = scratch.topology({ queue: work, delaysMs: [450] });
    await applyTopology(scratch.connection, before, { mode: 'apply' });
    await scratch.put(waitQueueName(work, 300), 'old');

    const report = await applyTopology(scratch.connection, after, { mode: 'apply' });
    await scratch.put(waitQueueName(work, 450), 'new');

    expect(report.created).toEqual([waitQueueName(work, 450)]);
    expect(await scratch.exists(waitQueueName(work, 300))).toBe(true);
    expect(await scratch.drain(work, 2)).toEqual(['old', 'new']);
  });

  it.each([2_419_200_000, 4_294_967_295])(
    'a wait of %i ms arrives as a positive number and is the same when declared again',
    async (delayMs) => {
      const scratch = await Scratch.open();
      const topology = scratch.topology({ queue: scratch.name('orders'), delaysMs: [delayMs] });

      await applyTopology(scratch.connection, topology, { mode: 'apply' });
      const again = await applyTopology(scratch.connection, topology, { mode: 'check' });

      expect(again.problems).toEqual([]);
    },
  );
});

/** A flow whose longest queue name has exactly as many bytes as a name of that letter may have. */
async function atTheLimit(letter: 'x' | 'é') {
  const scratch = await Scratch.open();
  const base = scratch.name('q');
  const bytes = letter === 'x' ? 255 : 180;
  const room = bytes - '.isolated.wait'.length - base.length;
  const work = base + letter.repeat(room / Buffer.byteLength(letter));
  const topology = scratch.topology({ queue: work, delaysMs: [10_000] });
  await applyTopology(scratch.connection, topology, { mode: 'apply' });
  const wait = waitQueueName(work, 10_000);
  const longest = Math.max(...topology.queues.map(({ name }) => Buffer.byteLength(name)));
  return { scratch, topology, longest, bytes, wait };
}

describe('case 6: names at the limit', () => {
  it.each(['x', 'é'] as const)('of the letter %s are made, and found unchanged', async (letter) => {
    const { scratch, topology, longest, bytes } = await atTheLimit(letter);

    const report = await applyTopology(scratch.connection, topology, { mode: 'check' });

    expect(longest).toBe(bytes);
    expect(report.problems).toEqual([]);
  });

  it('a mismatch names the argument, though the broker had no room for the values', async () => {
    const { scratch, topology, wait } = await atTheLimit('x');
    const wanted = changed(topology, wait, { 'x-message-ttl': 20_000 });

    const report = await applyTopology(scratch.connection, wanted, { mode: 'check' });

    expect(report.problems).toMatchObject([
      { name: wait, argument: 'x-message-ttl', wanted: '20000' },
    ]);
  });

  it('two flows with the same delay share no queue and no message', async () => {
    const scratch = await Scratch.open();
    const orders = scratch.name('orders');
    const mails = scratch.name('mails');
    const topology = scratch.topology(
      { queue: orders, delaysMs: [200] },
      { queue: mails, delaysMs: [200] },
    );
    await applyTopology(scratch.connection, topology, { mode: 'apply' });

    await scratch.put(waitQueueName(orders, 200), 'order');
    await scratch.put(waitQueueName(mails, 200), 'mail');

    expect(await scratch.drain(orders, 1)).toEqual(['order']);
    expect(await scratch.drain(mails, 1)).toEqual(['mail']);
  });
});
