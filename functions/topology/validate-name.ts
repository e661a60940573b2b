import { TopologyError } from './errors.ts';

/** AMQP's short strings: queue and exchange names, routing keys. Bytes of UTF-8, not characters. */
export const MAX_NAME_BYTES = 255;

/**
 * The broker cuts its replies at 255 characters, not bytes. When a name with other than ASCII letters
 * makes "no queue '…' in vhost '…'" longer, it ends the whole connection (541) instead of the channel.
 */
export const MAX_NON_ASCII_NAME_BYTES = 180;

/** @throws TopologyError `BAD_NAME` */
export function validateName(
  kind: string,
  name: string,
  options = { reservedAllowed: false },
): void {
  const bytes = Buffer.byteLength(name, 'utf8');
  if (bytes === 0) {
    throw new TopologyError(
      'BAD_NAME',
      `${kind} with an empty name; the default exchange can't be declared or bound, and needs neither.`,
    );
  }
  const ascii = bytes === name.length;
  const most = ascii ? MAX_NAME_BYTES : MAX_NON_ASCII_NAME_BYTES;
  if (bytes > most) {
    const kindOfName = ascii ? '' : ' of a name with other than ASCII letters';
    throw new TopologyError(
      'BAD_NAME',
      `${kind} name "${name}" has ${bytes} bytes, the broker takes ${most}${kindOfName}; shorten the flow's queue name.`,
    );
  }
  if (name.startsWith('amq.') && !options.reservedAllowed) {
    throw new TopologyError(
      'BAD_NAME',
      `${kind} name "${name}" starts with "amq.", which the broker keeps for itself; rename it.`,
    );
  }
}
