import type { Channel, ConsumeMessage } from 'amqplib';

/**
 * How the poller gives a failed batch back. AWS documents none of them, so the local run can play
 * all four and the books have to balance with each.
 */
export const HAND_BACKS = ['nack', 'reject', 'close', 'memory'] as const;
export type HandBack = (typeof HAND_BACKS)[number];

/** What the poller does after the hand-back. */
export type AfterHandBack =
  /** The broker has the records again. */
  | 'returned'
  /** The channel is gone, and with it everything held on it; open a new one. */
  | 'reopen'
  /** The records are still held; invoke with them again. */
  | 'kept';

/**
 * Gives back a failed batch.
 *
 * - `nack`: basic.nack with requeue; not counted by RabbitMQ 4.3's delivery limit
 * - `reject`: basic.reject with requeue; counted by all versions
 * - `close`: the channel is closed under everything held on it
 * - `memory`: nothing is said to the broker; the same records are invoked again
 */
export async function handBack(
  way: HandBack,
  channel: Channel,
  deliveries: readonly ConsumeMessage[],
): Promise<AfterHandBack> {
  switch (way) {
    case 'nack':
      // First first: a quorum queue delivers returned messages in the order they were returned.
      for (const delivery of deliveries) channel.nack(delivery, false, true);
      return 'returned';
    case 'reject':
      for (const delivery of deliveries) channel.reject(delivery, true);
      return 'returned';
    case 'close':
      await channel.close();
      return 'reopen';
    case 'memory':
      return 'kept';
  }
}
