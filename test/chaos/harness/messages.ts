import type { ChannelModel, ConfirmChannel } from 'amqplib';

/**
 * Publishes straight to a queue as a sender would: persistent, mandatory, confirmed. The id is the
 * messageId and in the body. Rejects when the broker refuses or returns one.
 */
export async function publishAll(
  connection: ChannelModel,
  queue: string,
  ids: readonly string[],
): Promise<void> {
  const channel = await connection.createConfirmChannel();
  channel.on('error', () => {});
  let returned = 0;
  channel.on('return', () => {
    returned += 1;
  });
  await Promise.all(ids.map((id) => publishOne(channel, queue, id)));
  await channel.close();
  if (returned > 0) throw new Error(`${returned} messages were returned: no queue '${queue}'`);
}

function publishOne(channel: ConfirmChannel, queue: string, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      messageId: id,
      contentType: 'application/json',
      persistent: true,
      mandatory: true,
    };
    channel.publish('', queue, Buffer.from(JSON.stringify({ id })), options, (error: unknown) =>
      error ? reject(error) : resolve(),
    );
  });
}
