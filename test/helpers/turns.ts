import { type ChannelModel, connect } from 'amqplib';
import { afterAll, beforeAll } from 'vitest';
import { brokerUrl } from './broker.ts';
import { until } from './until.ts';

/** Longer than a file of tests may take. */
const PATIENCE_MS = 180_000;

/**
 * Files run beside each other; those that use the same `thing`, of which a checkout has one, run one
 * after the other. A queue that only one connection may have is the lock, so a process that dies lets go.
 */
export function inTurns(thing: string): void {
  let holder: ChannelModel | undefined;
  beforeAll(async () => {
    holder = await until(`the turn for ${thing}`, () => lock(`layover-test-turns.${thing}`), {
      timeoutMs: PATIENCE_MS,
      intervalMs: 250,
    });
  }, PATIENCE_MS + 5_000);
  afterAll(() => holder?.close());
}

async function lock(queue: string): Promise<ChannelModel | undefined> {
  const connection = await connect(brokerUrl());
  connection.on('error', () => undefined);
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  try {
    await channel.assertQueue(queue, { exclusive: true, durable: false, autoDelete: true });
    return connection;
  } catch {
    await connection.close();
    return undefined;
  }
}
