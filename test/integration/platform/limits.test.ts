import type { ConfirmChannel } from 'amqplib';
import { describe, expect, it } from 'vitest';
import { applyTopology } from '../../../functions/topology/apply.ts';
import { parkedQueueName, waitQueueName } from '../../../functions/topology/names.ts';
import { Scratch } from '../../helpers/scratch.ts';
import { until } from '../../helpers/until.ts';

/** Hands every delivery back at once, as a function that can't start does; stops when told. */
async function handBack(
  channel: ConfirmChannel,
  queue: string,
  deliveries: { count: number },
): Promise<void> {
  await channel.prefetch(1);
  await channel.consume(queue, (message) => {
    if (message === null) return;
    deliveries.count += 1;
    channel.reject(message, true);
  });
}

describe('the delivery limit of a work queue', () => {
  it.each(['', '.isolated'])(
    'case 32: of queue "orders%s" lets a thousand hand-backs pass, then parks the message',
    async (suffix) => {
      const scratch = await Scratch.open();
      const work = scratch.name('orders');
      const topology = scratch.topology({ queue: work, delaysMs: [60_000] });
      await applyTopology(scratch.connection, topology, { mode: 'apply' });
      const deliveries = { count: 0 };
      await scratch.put(`${work}${suffix}`, 'poison', { headers: { tenant: 'acme' } });

      await handBack(await scratch.sideChannel(), `${work}${suffix}`, deliveries);
      const parked = await scratch.take(parkedQueueName(work), 30_000);

      expect(deliveries.count).toBe(1_001);
      expect(parked.content.toString()).toBe('poison');
      expect(parked.properties.headers).toMatchObject({ tenant: 'acme' });
      expect(parked.properties.headers?.['x-death']?.[0]).toMatchObject({
        queue: `${work}${suffix}`,
        reason: 'delivery_limit',
      });
    },
  );
});

describe('a parking queue', () => {
  it.each([
    ['reject', (channel: ConfirmChannel, message: never) => channel.reject(message, true)],
    ['nack', (channel: ConfirmChannel, message: never) => channel.nack(message, false, true)],
  ])('loses nothing in 60 looks that end with a %s', async (_how, giveBack) => {
    const scratch = await Scratch.open();
    const work = scratch.name('orders');
    const topology = scratch.topology({ queue: work, delaysMs: [60_000] });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    const parked = parkedQueueName(work);
    for (const body of ['a', 'b', 'c']) await scratch.put(parked, body);

    for (let look = 0; look < 60; look += 1) {
      for (let index = 0; index < 3; index += 1) {
        giveBack(scratch.channel, (await scratch.take(parked)) as never);
      }
    }
    const bodies = await scratch.drain(parked, 3);

    expect(bodies.sort()).toEqual(['a', 'b', 'c']);
  });

  it('loses nothing in 60 looks that end with the channel', async () => {
    const scratch = await Scratch.open();
    const work = scratch.name('orders');
    const topology = scratch.topology({ queue: work, delaysMs: [60_000] });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    const parked = parkedQueueName(work);
    await scratch.put(parked, 'a');

    for (let look = 0; look < 60; look += 1) {
      const side = await scratch.sideChannel();
      await until('the message', () => side.get(parked));
      await side.close();
    }

    expect(await scratch.drain(parked, 1)).toEqual(['a']);
  });
});

describe('a wait queue', () => {
  it('loses nothing when it is looked at 30 times', async () => {
    const scratch = await Scratch.open();
    const work = scratch.name('orders');
    const topology = scratch.topology({ queue: work, delaysMs: [2_000] });
    await applyTopology(scratch.connection, topology, { mode: 'apply' });
    const wait = waitQueueName(work, 2_000);
    await scratch.put(wait, 'a');

    for (let look = 0; look < 30; look += 1) {
      const message = await scratch.channel.get(wait);
      if (message !== false) scratch.channel.reject(message, true);
    }

    expect(await scratch.drain(work, 1)).toEqual(['a']);
  });
});

describe('the delivery limit that means never', () => {
  it('is the same when it is declared again', async () => {
    const scratch = await Scratch.open();
    const args = { 'x-delivery-limit': 2_000_000_000 };
    const name = await scratch.queue('parked', args);
    const side = await scratch.sideChannel();

    await expect(
      side.assertQueue(name, { arguments: { 'x-queue-type': 'quorum', ...args } }),
    ).resolves.toMatchObject({ queue: name });
  });
});
