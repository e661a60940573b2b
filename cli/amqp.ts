import amqp, { type ChannelModel } from 'amqplib';
import { reasonOf } from '../infra/local/broker/errors.ts';
import { maskSecretsOf, maskUrl } from '../infra/local/broker/mask.ts';
import { CommandFailedError } from './exit.ts';

/** A broker that accepts a connection and then says nothing must not keep a person waiting. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * A connection for as long as `use` takes.
 * @throws CommandFailedError when the broker can't be reached; names it, without its password
 */
export async function withConnection<T>(
  url: string,
  use: (connection: ChannelModel) => Promise<T>,
): Promise<T> {
  const connection = await connect(url);
  // What breaks it fails the call that is waiting; nobody else listens.
  connection.on('error', () => {});
  try {
    return await use(connection);
  } finally {
    await connection.close().catch(() => {});
  }
}

async function connect(url: string): Promise<ChannelModel> {
  try {
    return await amqp.connect(url, {
      timeout: CONNECT_TIMEOUT_MS,
      clientProperties: { connection_name: 'layover command' },
    });
  } catch (cause) {
    const reason = maskSecretsOf(url, reasonOf(cause));
    throw new CommandFailedError(
      `The broker ${maskUrl(url)} can't be reached: ${reason}. Is it up, and are host, user and virtual host right?`,
      { cause },
    );
  }
}
