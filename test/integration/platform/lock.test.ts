import { connect } from 'amqplib';
import { describe, expect, it } from 'vitest';
import { parkedLockName } from '../../../functions/topology/names.ts';
import { brokerUrl } from '../../helpers/broker.ts';
import { Scratch } from '../../helpers/scratch.ts';
import { TcpProxy } from '../../helpers/tcp-proxy.ts';
import { until } from '../../helpers/until.ts';

const LOCK = { exclusive: true, durable: false } as const;

describe('an exclusive queue as a lock', () => {
  it('is refused with 405 to a second connection, and free soon after the first one dies', async () => {
    const scratch = await Scratch.open();
    const lock = parkedLockName(scratch.name('orders'));
    const { hostname, port } = new URL(brokerUrl());
    const proxy = await TcpProxy.start({ host: hostname, port: Number(port || 5_672) });
    const holder = await connect(proxy.through(brokerUrl()));
    holder.on('error', () => undefined);
    await (await holder.createChannel()).assertQueue(lock, LOCK);
    const tryLock = async () => {
      const side = await scratch.sideChannel();
      return side.assertQueue(lock, LOCK).then(
        () => 'held',
        (error: { code?: number }) => error.code,
      );
    };

    const refused = await tryLock();
    await proxy.close();
    const heldAtLast = await until('the lock', async () => (await tryLock()) === 'held', {
      timeoutMs: 5_000,
      intervalMs: 20,
    });

    expect(refused).toBe(405);
    expect(heldAtLast).toBe(true);
  });

  it('is not what an exclusive consumer of a quorum queue is: that keeps nobody out', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('parked');
    const first = await scratch.sideChannel();
    const second = await scratch.sideChannel();
    const nothing = () => undefined;

    await first.consume(queue, nothing, { exclusive: true });

    await expect(second.consume(queue, nothing)).resolves.toHaveProperty('consumerTag');
  });
});
