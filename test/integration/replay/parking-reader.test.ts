import type { ConsumeMessage } from 'amqplib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogin } from '../../../functions/broker/login.ts';
import { openParkingReader, type ParkingReader } from '../../../functions/broker/parking-reader.ts';
import { parkedArguments } from '../../../functions/topology/arguments.ts';
import { brokerUrl } from '../../helpers/broker.ts';
import { Scratch } from '../../helpers/scratch.ts';
import { TcpProxy } from '../../helpers/tcp-proxy.ts';
import { until } from '../../helpers/until.ts';

interface Parking {
  readonly scratch: Scratch;
  readonly queue: string;
  readonly lock: string;
  open(url?: string, lock?: string): Promise<ParkingReader>;
}

async function parking(count: number): Promise<Parking> {
  const scratch = await Scratch.open();
  const queue = await scratch.queue('parked', parkedArguments());
  for (let n = 0; n < count; n++) {
    scratch.channel.sendToQueue(queue, Buffer.from(`${n}`), { persistent: true });
  }
  await scratch.channel.waitForConfirms();
  await until('all to be ready', async () => (await scratch.ready(queue)) === count);
  const lock = `${queue}.lock`;
  return {
    scratch,
    queue,
    lock,
    open: async (url = brokerUrl(), lockName = lock) => {
      const login = createLogin({ kind: 'url', url }, { connectionName: 'test', now: Date.now });
      const deadlineAtMs = Date.now() + 10_000;
      const options = { queue, lock: lockName, now: Date.now, deadlineAtMs };
      const reader = await openParkingReader(login, options);
      onTestFinished(() => reader.close());
      return reader;
    },
  };
}

async function bodies(reader: ParkingReader, window = 50_000): Promise<string[]> {
  const seen: string[] = [];
  await reader.scan({
    window,
    onDelivery: ({ content }) => {
      seen.push(content.toString());
      return 'more';
    },
  });
  await reader.release();
  return seen;
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `${from + n}`);

describe('a scan of parking', () => {
  it('shows every message in order and leaves it there, 50 times', async () => {
    const { open, scratch, queue } = await parking(200);
    const reader = await open();

    for (let look = 0; look < 50; look++) {
      expect(await bodies(reader)).toEqual(numbers(0, 200));
      await until('all to be ready again', async () => (await scratch.ready(queue)) === 200);
    }

    expect(await scratch.drain(queue, 200)).toEqual(numbers(0, 200));
  });

  it('of an empty queue is over at once', async () => {
    const { open } = await parking(0);
    const reader = await open();
    const none = { window: 10, onDelivery: () => 'more' as const };

    expect(await reader.scan(none)).toEqual({ depth: 0, scanned: 0, end: 'all' });
  });

  it('looks as far as its window and says how much there is', async () => {
    const { open } = await parking(100);
    const reader = await open();

    const end = await reader.scan({ window: 30, onDelivery: () => 'more' });

    expect(end).toEqual({ depth: 100, scanned: 30, end: 'all' });
  });

  it('stops when it has seen enough', async () => {
    const { open } = await parking(100);
    const reader = await open();
    let seen = 0;

    const end = await reader.scan({
      window: 100,
      onDelivery: () => (++seen === 7 ? 'enough' : 'more'),
    });

    expect(end).toMatchObject({ scanned: 7, end: 'enough' });
    expect(seen).toBe(7);
  });

  it('stops when it is told to', async () => {
    const { open } = await parking(10);
    const reader = await open();
    const stop = new AbortController();
    stop.abort();

    const end = await reader.scan({ window: 10, onDelivery: () => 'more', signal: stop.signal });

    expect(end.end).toBe('stopped');
  });

  it('ends in silence when what the broker counted does not come', async () => {
    const scratch = await Scratch.open();
    const args = { ...parkedArguments(), 'x-single-active-consumer': true };
    const queue = await scratch.queue('parked', args);
    for (let n = 0; n < 10; n++) await scratch.put(queue, `${n}`);
    const rival = await scratch.sideChannel();
    await rival.prefetch(3);
    await rival.consume(queue, () => undefined);
    await until('three to be held', async () => (await scratch.ready(queue)) === 7);
    const config = { kind: 'url' as const, url: brokerUrl() };
    const login = createLogin(config, { connectionName: 'test', now: Date.now });
    const deadlineAtMs = Date.now() + 10_000;
    const reader = await openParkingReader(login, {
      queue,
      lock: undefined,
      now: Date.now,
      deadlineAtMs,
    });
    onTestFinished(() => reader.close());

    const end = await reader.scan({ window: 10, silenceMs: 200, onDelivery: () => 'more' });

    expect(end).toEqual({ depth: 7, scanned: 0, end: 'silence' });
  });

  it('leaves alone what somebody else holds', async () => {
    const { open, scratch, queue } = await parking(10);
    const other = await scratch.sideChannel();
    await other.prefetch(3);
    await other.consume(queue, () => undefined);
    await until('three to be held', async () => (await scratch.ready(queue)) === 7);

    expect(await bodies(await open())).toEqual(numbers(3, 10));
  });

  it('that moves some gives the others back in order', async () => {
    const { open, scratch, queue } = await parking(100);
    const reader = await open();
    await reader.scan({
      window: 100,
      onDelivery: ({ content, fields }) => {
        if (Number(content) % 10 === 3) reader.ack(fields.deliveryTag);
        else reader.hold(fields.deliveryTag);
        return 'more';
      },
    });
    await reader.settle();
    await reader.release();

    const left = numbers(0, 100).filter((n) => Number(n) % 10 !== 3);
    await until('the rest to be ready', async () => (await scratch.ready(queue)) === 90);
    expect(await scratch.drain(queue, 90)).toEqual(left);
  });

  it.each([2, 1])('acknowledges one in %d for sure, however many there are', async (step) => {
    const { open, scratch, queue } = await parking(1_000);
    const reader = await open();
    await reader.scan({
      window: 1_000,
      onDelivery: ({ content, fields }) => {
        if (Number(content) % step === 0) reader.ack(fields.deliveryTag);
        else reader.hold(fields.deliveryTag);
        return 'more';
      },
    });

    await reader.release();

    // At once: a channel that was closed too early would give some out again a moment later.
    const left = numbers(0, 1_000).filter((n) => Number(n) % step !== 0);
    expect(await reader.depth()).toBe(left.length);
    await reader.close();
    expect(await scratch.drain(queue, left.length)).toEqual(left);
    expect(await scratch.channel.get(queue)).toBe(false);
  });

  it('of 50,000 gives them back in order', { timeout: 60_000 }, async () => {
    const { open } = await parking(50_000);
    const reader = await open();
    await bodies(reader);

    expect(await bodies(reader)).toEqual(numbers(0, 50_000));
  });

  it('whose holder dies leaves the order as it was', async () => {
    const { open, lock } = await parking(2_000);
    const { hostname, port } = new URL(brokerUrl());
    const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
    onTestFinished(() => proxy.close());
    const dying = await open(proxy.through(brokerUrl()), lock);
    await dying.scan({ window: 2_000, onDelivery: () => 'more' });

    proxy.cut();

    const next = await until('the lock to be free', () => open().catch(() => undefined));
    await until('all to be ready again', async () => (await next.depth()) === 2_000);
    expect(await bodies(next)).toEqual(numbers(0, 2_000));
  });

  it('does not show what is parked while it runs', async () => {
    const { open, scratch, queue } = await parking(20);
    const reader = await open();
    const seen: string[] = [];
    const held: ConsumeMessage[] = [];
    await reader.scan({
      window: 100,
      onDelivery: (delivery) => {
        seen.push(delivery.content.toString());
        held.push(delivery);
        scratch.channel.sendToQueue(queue, Buffer.from('again'), { persistent: true });
        reader.ack(delivery.fields.deliveryTag);
        return 'more';
      },
    });
    await scratch.channel.waitForConfirms();
    await reader.settle();
    await reader.release();

    expect(seen).toEqual(numbers(0, 20));
    await until('the new ones to be ready', async () => (await scratch.ready(queue)) === 20);
  });
});

describe('the hold on parking', () => {
  it('is one reader’s: a second is told so and takes nothing', async () => {
    const { open } = await parking(10);
    await open();

    await expect(open()).rejects.toMatchObject({ code: 'PARKING_LOCKED' });
  });

  it('is free again after the holder’s connection died', async () => {
    const { open, lock } = await parking(10);
    const { hostname, port } = new URL(brokerUrl());
    const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
    onTestFinished(() => proxy.close());
    const dying = await open(proxy.through(brokerUrl()), lock);
    await dying.scan({ window: 10, onDelivery: () => 'more' });

    proxy.cut();

    const next = await until('the lock to be free', () => open().catch(() => undefined));
    await until('all to be ready again', async () => (await next.depth()) === 10);
    expect(await bodies(next)).toEqual(numbers(0, 10));
    expect(dying.lost).toMatchObject({ code: 'PARKING_LOST' });
  });

  it('lost in the middle of a scan ends the scan', async () => {
    const { open, lock } = await parking(10);
    const { hostname, port } = new URL(brokerUrl());
    const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
    onTestFinished(() => proxy.close());
    const reader = await open(proxy.through(brokerUrl()), lock);

    const scan = reader.scan({
      window: 10,
      onDelivery: () => {
        proxy.cut();
        return 'more';
      },
    });

    // The ten may have come in one piece before the cut: then the cancel finds it out.
    await expect(scan).rejects.toMatchObject({ code: 'PARKING_LOST' });
    await expect(reader.settle()).rejects.toMatchObject({ code: 'PARKING_LOST' });
  });

  it('ends when the queue is deleted under it', async () => {
    const { open, scratch, queue } = await parking(10);
    const reader = await open();
    const scan = reader.scan({
      window: 10,
      onDelivery: ({ content }) => {
        if (content.toString() === '0') void scratch.channel.deleteQueue(queue);
        return 'more';
      },
    });

    await scan.catch(() => undefined);
    await until('the loss to be known', async () => {
      await reader.settle().catch(() => undefined);
      return reader.lost;
    });
    expect(reader.lost).toMatchObject({ code: 'PARKING_LOST' });
  });

  it('of a queue that does not exist is refused', async () => {
    const scratch = await Scratch.open();
    const queue = scratch.name('nothing');
    const config = { kind: 'url' as const, url: brokerUrl() };
    const login = createLogin(config, { connectionName: 'test', now: Date.now });
    const deadlineAtMs = Date.now() + 10_000;

    const opening = openParkingReader(login, {
      queue,
      lock: undefined,
      now: Date.now,
      deadlineAtMs,
    });

    await expect(opening).rejects.toMatchObject({ code: 'PARKING_MISSING' });
  });
});
