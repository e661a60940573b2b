import { describe, expect, it, onTestFinished } from 'vitest';
import { HAND_BACKS } from '../../../infra/local/hand-back.ts';
import { Poller, type PollerOptions } from '../../../infra/local/poller.ts';
import { brokerUrl } from '../../helpers/broker.ts';
import { Scratch } from '../../helpers/scratch.ts';
import { TcpProxy } from '../../helpers/tcp-proxy.ts';
import { until } from '../../helpers/until.ts';

interface Invocation {
  readonly bodies: readonly string[];
  readonly redelivered: readonly boolean[];
  readonly keys: readonly string[];
}

function invocationOf(event: string): Invocation {
  const queues = JSON.parse(event).rmqMessagesByQueue as Record<
    string,
    readonly { readonly data: string; readonly redelivered: boolean }[]
  >;
  const records = Object.values(queues).flat();
  return {
    bodies: records.map(({ data }) => Buffer.from(data, 'base64').toString()),
    redelivered: records.map(({ redelivered }) => redelivered),
    keys: Object.keys(queues),
  };
}

async function start(queue: string, options: Partial<PollerOptions> = {}): Promise<Poller> {
  const poller = new Poller({
    url: brokerUrl(),
    vhost: '/',
    queue,
    batch: { size: 5, windowMs: 50 },
    handBack: 'nack',
    backoffMs: 5,
    invoke: async () => undefined,
    ...options,
  });
  onTestFinished(() => poller.stop());
  await poller.start();
  return poller;
}

async function fill(scratch: Scratch, queue: string, count: number): Promise<string[]> {
  const bodies = Array.from({ length: count }, (_, index) => `m${index}`);
  for (const body of bodies) scratch.channel.sendToQueue(queue, Buffer.from(body));
  await scratch.channel.waitForConfirms();
  return bodies;
}

const atRest = (poller: Poller) => poller.state.held === 0 && !poller.state.invoking;

describe('the poller', () => {
  it('feeds batches in order, one invocation at a time, and acknowledges what succeeded', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work');
    const bodies = await fill(scratch, queue, 23);
    const seen: Invocation[] = [];
    let running = 0;
    let mostAtOnce = 0;
    const poller = await start(queue, {
      invoke: async (event, count) => {
        mostAtOnce = Math.max(mostAtOnce, ++running);
        const invocation = invocationOf(event);
        expect(count).toBe(invocation.bodies.length);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(invocation);
        running--;
      },
    });
    await until('all were handled', () => seen.flatMap((one) => one.bodies).length === 23);
    expect(seen.flatMap((one) => one.bodies)).toEqual(bodies);
    expect(Math.max(...seen.map((one) => one.bodies.length))).toBeLessThanOrEqual(5);
    expect(seen[0]?.keys).toEqual([`${queue}::/`]);
    expect(mostAtOnce).toBe(1);
    await poller.stop();
    expect(await scratch.ready(queue)).toBe(0);
  });

  it('waits for its window before it invokes with a batch that is not full', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work');
    const seen: Invocation[] = [];
    await start(queue, {
      batch: { size: 5, windowMs: 300 },
      invoke: async (event) => seen.push(invocationOf(event)),
    });
    await fill(scratch, queue, 3);
    await until('the window was over', () => seen.length > 0);
    expect(seen[0]?.bodies).toEqual(['m0', 'm1', 'm2']);
  });

  it('holds no more than its prefetch', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work');
    await fill(scratch, queue, 50);
    const { promise: release, resolve } = Promise.withResolvers<void>();
    const poller = await start(queue, { prefetch: 12, invoke: () => release });
    await until('the prefetch is used', () => poller.state.held === 12);
    expect(await scratch.ready(queue)).toBe(38);
    resolve();
  });

  it('drops a record over the payload limit, as Lambda does, and says so', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work');
    await scratch.put(queue, 'x'.repeat(20_000));
    await scratch.put(queue, 'small');
    const seen: string[] = [];
    const troubles: string[] = [];
    const poller = await start(queue, {
      payloadBytes: 10_000,
      onTrouble: (text) => troubles.push(text),
      invoke: async (event) => seen.push(...invocationOf(event).bodies),
    });
    await until('the small one came', () => seen.length === 1);
    expect(seen).toEqual(['small']);
    expect(poller.state.dropped).toBe(1);
    expect(troubles.join()).toMatch(/over the payload limit/);
  });

  it('gives back what it holds when it stops', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work');
    await fill(scratch, queue, 10);
    const poller = await start(queue, { batch: { size: 50, windowMs: 60_000 } });
    await until('all are held', () => poller.state.held === 10);
    await poller.stop();
    await until('all are back', async () => (await scratch.ready(queue)) === 10);
  });
});

describe('a poller that is switched off', () => {
  it('gives back in order what it holds, reads no more, and goes on when it is switched on', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work');
    const bodies = await fill(scratch, queue, 8);
    const seen: string[] = [];
    const gate = Promise.withResolvers<void>();
    const poller = await start(queue, {
      batch: { size: 2, windowMs: 0 },
      invoke: async (event) => {
        seen.push(...invocationOf(event).bodies);
        await gate.promise;
      },
    });
    await until('all are held', () => poller.state.held === 8 && seen.length > 0);
    expect(poller.mappingState).toBe('Enabled');
    const first = seen.length;

    poller.setEnabled(false);
    expect(poller.mappingState).toBe('Disabling');
    gate.resolve();
    await until('it stands still', () => poller.mappingState === 'Disabled');
    await until('the rest is back', async () => (await scratch.ready(queue)) === 8 - first);
    await scratch.put(queue, 'later');
    expect(seen).toHaveLength(first);
    expect((await scratch.channel.checkQueue(queue)).consumerCount).toBe(0);

    poller.setEnabled(true);
    await until('all were handled', () => seen.length === 9 && atRest(poller));
    expect(seen).toEqual([...bodies, 'later']);
    expect(poller.mappingState).toBe('Enabled');
  });

  it('can be stopped, and loses nothing', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work');
    const poller = await start(queue);
    poller.setEnabled(false);
    await until('it stands still', () => poller.mappingState === 'Disabled');
    await scratch.put(queue, 'm');
    await poller.stop();
    expect(await scratch.ready(queue)).toBe(1);
  });
});

describe.each(HAND_BACKS)('a failed batch handed back by %s', (handBack) => {
  it('comes again until it succeeds, and nothing is lost', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work', { 'x-delivery-limit': 1000 });
    const bodies = await fill(scratch, queue, 20);
    const handled = new Set<string>();
    const failed = new Set<string>();
    const poller = await start(queue, {
      handBack,
      invoke: async (event) => {
        const batch = invocationOf(event).bodies;
        const key = batch.join();
        if (failed.size < 3 && !failed.has(key)) {
          failed.add(key);
          throw new Error('the function died');
        }
        for (const body of batch) handled.add(body);
      },
    });
    await until('all were handled', () => handled.size === 20 && atRest(poller));
    expect([...handled].sort()).toEqual([...bodies].sort());
    expect(poller.state.failures).toBe(3);
    await poller.stop();
    expect(await scratch.ready(queue)).toBe(0);
  });

  it(`is ${handBack === 'memory' ? 'not ' : ''}marked as redelivered by the broker`, async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work', { 'x-delivery-limit': 1000 });
    await fill(scratch, queue, 2);
    const seen: Invocation[] = [];
    await start(queue, {
      handBack,
      batch: { size: 2, windowMs: 2_000 },
      invoke: async (event) => {
        seen.push(invocationOf(event));
        if (seen.length === 1) throw new Error('first');
      },
    });
    await until('the batch came again', () => seen.length >= 2);
    expect(seen[0]?.redelivered).toEqual([false, false]);
    const again = handBack !== 'memory';
    expect(seen[1]?.bodies).toEqual(['m0', 'm1']);
    expect(seen[1]?.redelivered).toEqual([again, again]);
  });
});

describe('when the connection is lost', () => {
  it('comes back by itself, and the broker delivers again what was held', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('work');
    await fill(scratch, queue, 4);
    const broker = new URL(brokerUrl());
    const proxy = await TcpProxy.start({
      host: broker.hostname,
      port: Number(broker.port || 5672),
    });
    onTestFinished(() => proxy.close());
    const url = new URL(brokerUrl());
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const handled: string[] = [];
    const troubles: string[] = [];
    let cut = false;
    const poller = await start(queue, {
      url: url.href,
      batch: { size: 4, windowMs: 500 },
      onTrouble: (text) => troubles.push(text),
      invoke: async (event) => {
        if (!cut) {
          cut = true;
          proxy.cut();
          await until('the poller has noticed', () => troubles.length > 0);
        }
        handled.push(...invocationOf(event).bodies);
      },
    });
    await until('the batch came again', () => handled.length === 8 && atRest(poller));
    expect(handled.slice(4)).toEqual(['m0', 'm1', 'm2', 'm3']);
    await poller.stop();
    expect(await scratch.ready(queue)).toBe(0);
  });
});
