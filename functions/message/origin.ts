import type { Death, Message, Origin } from './types.ts';

/** RabbitMQ's own ceiling for a TTL, in milliseconds. */
const MAX_EXPIRATION_MS = 4_294_967_295;

/**
 * Where a message came from, as far as it can be known. For one of our copies: what its headers say.
 * For any other message the event doesn't tell exchange and routing key; only a message that was
 * dead-lettered before carries them, in its first death.
 */
export function knownOrigin(message: Message): Origin {
  if (message.state.origin.queue !== undefined) return message.state.origin;
  const { userId } = message.properties;
  const first = firstDeath(message.deaths);
  const routingKey = first?.routingKeys[0];
  return {
    ...(first?.exchange === undefined ? {} : { exchange: first.exchange }),
    ...(routingKey === undefined ? {} : { routingKey }),
    ...(userId === undefined ? {} : { userId }),
    ...(message.deaths.length === 0 ? {} : { deaths: deathSummary(message.deaths) }),
  };
}

/**
 * The origin a copy carries: fixed by the first copy, kept by every later one.
 *
 * @param at time of the copy; a sender's `expiration` counts from here unless it sent a timestamp
 */
export function originForCopy(message: Message, workQueue: string, at: Date): Origin {
  const known = knownOrigin(message);
  if (known.queue !== undefined) return known;
  const deadline = deadlineOf(message, at);
  return { ...known, queue: workQueue, ...(deadline === undefined ? {} : { deadline }) };
}

/**
 * When the sender's own `expiration` would have ended the message. With a timestamp: timestamp +
 * expiration, but never later than now + expiration (a sender's clock may be ahead) and never before
 * now (the broker has just delivered it, so it had not expired).
 */
function deadlineOf({ properties }: Message, at: Date): Date | undefined {
  const { expiration, timestampSeconds } = properties;
  if (expiration === undefined || !/^\d{1,10}$/.test(expiration)) return undefined;
  const latestMs = at.getTime() + Math.min(Number(expiration), MAX_EXPIRATION_MS);
  if (timestampSeconds === undefined) return new Date(latestMs);
  const sentMs = timestampSeconds * 1000 + Number(expiration);
  return new Date(Math.max(Math.min(sentMs, latestMs), at.getTime()));
}

/** The first death by the broker's own word, else the oldest in the list. */
function firstDeath(deaths: readonly Death[]): Death | undefined {
  return deaths.find((death) => death.first) ?? deaths.at(-1);
}

/** Deaths as data, newest first: `queue:reason:count, …`. */
export function deathSummary(deaths: readonly Death[]): string {
  return deaths.map(({ queue, reason, count }) => `${queue}:${reason}:${count}`).join(', ');
}
