import type { ChannelModel } from 'amqplib';
import { type Management, queueTotals } from './management.ts';

/** Messages per queue, ready ones only, as a passive declare tells. Missing queues are left out. */
export async function readyCounts(
  connection: ChannelModel,
  queues: readonly string[],
): Promise<Map<string, { readonly messages: number; readonly consumers: number }>> {
  const counts = new Map<string, { messages: number; consumers: number }>();
  let channel = await openChannel(connection);
  for (const queue of queues) {
    try {
      const { messageCount, consumerCount } = await channel.checkQueue(queue);
      counts.set(queue, { messages: messageCount, consumers: consumerCount });
    } catch (error) {
      if ((error as { code?: unknown }).code !== 404) throw error;
      // A missing queue closes the channel it was asked about on.
      channel = await openChannel(connection);
    }
  }
  await channel.close();
  return counts;
}

async function openChannel(connection: ChannelModel) {
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  return channel;
}

/**
 * Messages per queue in any state, from the management API where there is one: an at-least-once wait
 * queue hides from AMQP what it could not hand on yet. A figure that is absent stays absent; the
 * figures are up to some five seconds old.
 */
export async function totalCounts(
  management: Management | undefined,
  queues: readonly string[],
): Promise<Map<string, number>> {
  if (management === undefined) return new Map();
  const totals = await Promise.all(queues.map((queue) => queueTotals(management, queue)));
  return new Map(
    queues.flatMap((queue, index) => {
      const total = totals[index];
      return total === undefined ? [] : [[queue, total] as const];
    }),
  );
}
