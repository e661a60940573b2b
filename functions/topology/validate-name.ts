import { TopologyError } from './errors.ts';

/** AMQP's short strings: queue and exchange names, routing keys. Bytes of UTF-8, not characters. */
export const MAX_NAME_BYTES = 255;

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
  if (bytes > MAX_NAME_BYTES) {
    throw new TopologyError(
      'BAD_NAME',
      `${kind} name "${name}" has ${bytes} bytes, the broker takes ${MAX_NAME_BYTES}; shorten the flow's queue name.`,
    );
  }
  if (name.startsWith('amq.') && !options.reservedAllowed) {
    throw new TopologyError(
      'BAD_NAME',
      `${kind} name "${name}" starts with "amq.", which the broker keeps for itself; rename it.`,
    );
  }
}
