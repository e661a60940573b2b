import type { ChannelModel, ConsumeMessage } from 'amqplib';
import { LocalRunError } from '../errors.ts';
import type { ParkedMessage } from './reckon.ts';

/** One channel holds no more unacknowledged messages: AMQP's prefetch has 16 bits. */
const PREFETCH_LIMIT = 65_535;
const SILENCE_LIMIT_MS = 10_000;

/**
 * Reads a whole parking queue without taking anything out of it: consume, hold, cancel, release,
 * close, in that order, which keeps the messages' order on every version of the broker.
 */
export async function scanParking(
  connection: ChannelModel,
  queue: string,
): Promise<readonly ParkedMessage[]> {
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  const { messageCount } = await channel.checkQueue(queue);
  if (messageCount === 0) {
    await channel.close();
    return [];
  }
  if (messageCount > PREFETCH_LIMIT) {
    throw new LocalRunError(
      'PARKING_UNREADABLE',
      `${queue} holds ${messageCount} messages; one look reads at most ${PREFETCH_LIMIT}. Run with fewer --messages.`,
    );
  }
  await channel.prefetch(messageCount);
  const held: ConsumeMessage[] = [];
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>();
  const silence = setTimeout(() => {
    const text = `${queue}: only ${held.length} of ${messageCount} messages came within ${SILENCE_LIMIT_MS} ms`;
    reject(new LocalRunError('PARKING_UNREADABLE', text));
  }, SILENCE_LIMIT_MS);
  try {
    const { consumerTag } = await channel.consume(queue, (message) => {
      if (message === null) return;
      held.push(message);
      silence.refresh();
      if (held.length === messageCount) resolve();
    });
    await complete;
    await channel.cancel(consumerTag);
    channel.nackAll(true);
  } finally {
    clearTimeout(silence);
    await channel.close();
  }
  return held.map(parkedMessage);
}

function parkedMessage({ properties }: ConsumeMessage): ParkedMessage {
  const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
  const messageId: unknown = properties.messageId;
  return {
    messageId: typeof messageId === 'string' ? messageId : '(no messageId)',
    class: classOf(headers),
    attempt: attemptOf(headers),
  };
}

/** What our copy says, or what the broker did when it dead-lettered the message itself. */
function classOf(headers: Readonly<Record<string, unknown>>): string {
  const [death] = Array.isArray(headers['x-death']) ? headers['x-death'] : [];
  if (death !== undefined) return BROKER_CLASSES[String(death.reason)] ?? 'unknown';
  return typeof headers['x-failure-class'] === 'string' ? headers['x-failure-class'] : 'unknown';
}

const BROKER_CLASSES: Readonly<Record<string, string>> = {
  delivery_limit: 'undelivered',
  expired: 'stale',
  maxlen: 'backpressure',
  rejected: 'unknown',
};

function attemptOf(headers: Readonly<Record<string, unknown>>): number {
  if (typeof headers['x-failure-class'] !== 'string') return 0;
  const retries = Number(headers['x-retry-count'] ?? 0);
  return Number.isInteger(retries) && retries >= 0 ? retries + 1 : 0;
}
