import { connect } from 'amqplib';

/**
 * Ready messages of a queue as AMQP counts them, on a connection of its own. A local run asks this way
 * since the management API is some 5 to 12 seconds behind, which is minutes of its scaled time, and may
 * not be there at all. What a consumer holds is missing: of the work queue the two batches its poller has
 * fetched, little beside any ceiling; of the parking queue what replay itself holds, and it doesn't ask then.
 *
 * @throws when the broker can't be reached or has no such queue
 */
export async function readyTotal(amqpUrl: string, queue: string): Promise<number> {
  const connection = await connect(amqpUrl, {
    clientProperties: { connection_name: 'layover queue depth' },
    timeout: 5_000,
  });
  connection.on('error', () => {});
  try {
    const channel = await connection.createChannel();
    channel.on('error', () => {});
    return (await channel.checkQueue(queue)).messageCount;
  } finally {
    await connection.close().catch(() => {});
  }
}
