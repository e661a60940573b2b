import type { Death, Message } from './types.ts';

/** Class of a message that the broker dead-lettered: `undelivered` is known to it alone. */
export type BrokerDeathClass = 'undelivered' | 'stale' | 'backpressure' | 'unknown';

export interface BrokerDeath {
  readonly class: BrokerDeathClass;
  readonly death: Death;
}

/**
 * The class a parked message has by the broker's own dead letter, which wins over what its headers say
 * of an earlier failure. Our copies never carry `x-death`, so one that is there came after them.
 *
 * @param queues the flow's work and isolated queue; only their deaths end in parking. A wait queue's
 * `expired` is how every retry comes back and means nothing.
 * @returns undefined when the newest death is of another queue, or there is none
 */
export function brokerDeathOf(
  message: Pick<Message, 'deaths'>,
  queues: readonly string[],
): BrokerDeath | undefined {
  const [death] = message.deaths;
  if (death === undefined || !queues.includes(death.queue)) return undefined;
  return { class: classOf(death.reason), death };
}

function classOf(reason: string): BrokerDeathClass {
  switch (reason) {
    case 'delivery_limit':
      return 'undelivered';
    case 'expired':
      return 'stale';
    case 'maxlen':
      return 'backpressure';
    default:
      // `rejected`, and any reason a later broker invents: nobody knows why.
      return 'unknown';
  }
}
