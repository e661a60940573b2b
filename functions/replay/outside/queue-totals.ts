import { segment } from '../../broker/management.ts';
import { managementOf } from '../../broker/management-login.ts';
import type { BrokerConfig } from '../../broker/types.ts';

const TIMEOUT_MS = 5_000;

export interface QueueTotalsOptions {
  readonly broker: BrokerConfig;
  readonly vhost: string;
  readonly managementUrl?: string;
  readonly now: () => number;
}

/**
 * Messages of a queue in any state, by the management API: AMQP's own count leaves out what consumers
 * hold. An absent figure is unknown, never 0.
 *
 * @throws ManagementError, ConnectionError; an Error when the API doesn't say
 */
export function createQueueTotals(options: QueueTotalsOptions): (queue: string) => Promise<number> {
  return async (queue) => {
    const management = await managementOf(options.broker, {
      deadlineAtMs: options.now() + TIMEOUT_MS,
      now: options.now,
      timeoutMs: TIMEOUT_MS,
      ...(options.managementUrl === undefined ? {} : { managementUrl: options.managementUrl }),
    });
    const answer = await management.get(`queues/${segment(options.vhost)}/${segment(queue)}`);
    const { messages } = (answer ?? {}) as { readonly messages?: unknown };
    if (typeof messages === 'number' && Number.isFinite(messages)) return messages;
    throw new Error(`the management API gives no total for ${queue}`);
  };
}
