import type { ChannelModel } from 'amqplib';
import type { Topology } from '../../functions/topology/types.ts';
import { LocalRunError } from './errors.ts';

/** What of a topology was not on the broker before this run, and is therefore this run's to delete. */
export interface CreatedHere {
  readonly queues: readonly string[];
  readonly exchanges: readonly string[];
}

/**
 * Looks at every queue and exchange before anything is declared.
 *
 * Refuses when one of the queues holds messages or is read by somebody: they may be anybody's, and
 * the books could not be kept beside them. Nothing is deleted that was there before.
 */
export async function claimTopology(
  connection: ChannelModel,
  topology: Topology,
  maskedUrl: string,
): Promise<CreatedHere> {
  const queues: string[] = [];
  const occupied: string[] = [];
  for (const { name } of topology.queues) {
    const found = await lookAtQueue(connection, name);
    if (found === undefined) queues.push(name);
    else if (found.messageCount > 0) occupied.push(`  ${name}: messages ${found.messageCount}`);
    else if (found.consumerCount > 0) occupied.push(`  ${name}: being read by somebody`);
  }
  if (occupied.length > 0) {
    throw new LocalRunError(
      'LEFTOVERS',
      [
        `The broker ${maskedUrl} is in use under these names:`,
        ...occupied,
        'They are not touched, since they may be somebody’s. Empty the queues yourself, or give the run',
        'a virtual host of its own: rabbitmqctl add_vhost layover-local, then AMQP_URL=amqp://…/layover-local',
      ].join('\n'),
    );
  }
  const exchanges: string[] = [];
  for (const { name } of topology.exchanges) {
    if (!(await exchangeExists(connection, name))) exchanges.push(name);
  }
  return { queues, exchanges };
}

/** Deletes what the run created. An exchange stays when something else was bound to it meanwhile. */
export async function deleteCreated(connection: ChannelModel, created: CreatedHere): Promise<void> {
  for (const queue of created.queues) {
    await onChannel(connection, (channel) => channel.deleteQueue(queue)).catch(() => {});
  }
  for (const exchange of created.exchanges) {
    const unused = { ifUnused: true };
    await onChannel(connection, (channel) => channel.deleteExchange(exchange, unused)).catch(
      () => {},
    );
  }
}

type Channel = Awaited<ReturnType<ChannelModel['createChannel']>>;

/** A channel for one question: a refused one closes the channel it was asked on. */
async function onChannel<T>(
  connection: ChannelModel,
  ask: (channel: Channel) => Promise<T>,
): Promise<T> {
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  const answer = await ask(channel);
  await channel.close();
  return answer;
}

async function lookAtQueue(connection: ChannelModel, queue: string) {
  return onChannel(connection, (channel) => channel.checkQueue(queue)).catch(missing);
}

async function exchangeExists(connection: ChannelModel, exchange: string): Promise<boolean> {
  const found = await onChannel(connection, (channel) => channel.checkExchange(exchange)).catch(
    missing,
  );
  return found !== undefined;
}

function missing(error: unknown): undefined {
  if ((error as { readonly code?: unknown }).code !== 404) throw error;
  return undefined;
}
