import { parkedQueueName } from './names.ts';
import type { QueueArguments } from './types.ts';

/** The broker's ceiling of a TTL in milliseconds: 32 bits, not quite 50 days. */
export const MAX_TTL_MS = 4_294_967_295;

/**
 * "Never", on every version. −1 drops the message at its first return on RabbitMQ 3.x; without the
 * argument 4.x drops or dead-letters it after 20 returns, which a queue that is only looked at reaches.
 */
export const NEVER_DELIVERY_LIMIT = 2_000_000_000;

/**
 * The last net of a queue that is worked on. High, because a function that can't start at all hands a
 * healthy message back some twenty times within seconds.
 */
export const WORK_DELIVERY_LIMIT = 1_000;

/** The least that keeps the last net from catching healthy messages. */
export const MIN_WORK_DELIVERY_LIMIT = 100;

/**
 * Dead-lettering is confirmed only with all three of quorum, at-least-once and reject-publish; with
 * one missing it silently is at most once.
 */
function deadLetterTo(queue: string): QueueArguments {
  return {
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': queue,
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
  };
}

/** A work queue of ours, or its isolated sibling: what the broker gives up on rests in parking. */
export function workArguments(workQueue: string): QueueArguments {
  return {
    'x-queue-type': 'quorum',
    ...deadLetterTo(parkedQueueName(workQueue)),
    'x-delivery-limit': WORK_DELIVERY_LIMIT,
  };
}

/** A wait queue: everything leaves it after `delayMs`, in order, back to `target`. */
export function waitArguments(target: string, delayMs: number): QueueArguments {
  return {
    'x-queue-type': 'quorum',
    'x-message-ttl': delayMs,
    ...deadLetterTo(target),
    'x-delivery-limit': NEVER_DELIVERY_LIMIT,
  };
}

/** The parking queue: nothing leaves it by itself. */
export function parkedArguments(): QueueArguments {
  return {
    'x-queue-type': 'quorum',
    'x-overflow': 'reject-publish',
    'x-delivery-limit': NEVER_DELIVERY_LIMIT,
  };
}
