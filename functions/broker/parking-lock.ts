import type { BrokerConnection } from './connection.ts';
import { ParkingError } from './parking-errors.ts';

const RESOURCE_LOCKED = 405;

/**
 * Takes the lock of a parking queue: an exclusive, non-durable queue on this connection. The broker
 * refuses it to every other connection (405) and removes it some 50 ms after this one is gone, whatever
 * ended it. Exclusive *consumers* would be no lock: quorum queues accept a second one.
 *
 * @throws ParkingError `PARKING_LOCKED`
 */
export async function takeParkingLock(connection: BrokerConnection, name: string): Promise<void> {
  const channel = await connection.model.createChannel();
  channel.on('error', () => {});
  try {
    await channel.assertQueue(name, { exclusive: true, durable: false, autoDelete: false });
    await channel.close();
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== RESOURCE_LOCKED) throw cause;
    throw new ParkingError(
      'PARKING_LOCKED',
      `The lock ${name} is held by another connection: another replay, scan or discard is at work.`,
      { cause },
    );
  }
}
