import type { Message } from '../message/types.ts';

/** From how many deliveries on a count convicts, where there is no table to ask. */
export const CONVICTING_COUNT = 5;

/** The higher of the broker's two counts; undefined where it keeps none (classic queues, first deliveries). */
export function deliveries(message: Message): number | undefined {
  const { deliveryCount, acquiredCount } = message;
  if (deliveryCount === undefined && acquiredCount === undefined) return undefined;
  return Math.max(deliveryCount ?? 0, acquiredCount ?? 0);
}

/**
 * True when an earlier invocation may have died with this message in its batch, so that it must not
 * run beside others. A count of 1 is one earlier delivery that was not acknowledged. The flag
 * `redelivered` says something only where the broker keeps no count: it is also set on a first
 * delivery that came through a dead-letter exchange.
 */
export function isSuspect(message: Message): boolean {
  if (message.state.suspect) return true;
  const count = deliveries(message);
  return count === undefined ? message.redelivered : count >= 1;
}
