import type { ChannelModel, Message } from 'amqplib';
import { LocalRunError } from './errors.ts';
import { pause } from './pause.ts';
import type { PlannedMessage } from './scenarios/types.ts';

export interface PublishOptions {
  /** Over how long the messages are spread. 0: as fast as the broker confirms. */
  readonly spreadMs: number;
  readonly signal: AbortSignal;
  /** Called for each message the broker confirmed and did not return. */
  readonly onConfirmed: (message: PlannedMessage) => void;
}

const TICK_MS = 50;

/**
 * Publishes the plan as the senders would: persistent, mandatory, pipelined, and counted only when
 * the broker has confirmed. Rejects when a message was refused or returned, since the books would be
 * kept over messages that never existed.
 */
export async function publishPlan(
  connection: ChannelModel,
  messages: readonly PlannedMessage[],
  options: PublishOptions,
): Promise<void> {
  const channel = await connection.createConfirmChannel();
  channel.on('error', () => {});
  const returned: Message[] = [];
  channel.on('return', (message) => returned.push(message));
  const startedAtMs = Date.now();
  let next = 0;
  const confirms: Promise<void>[] = [];
  while (next < messages.length) {
    const part =
      options.spreadMs === 0 ? 1 : (Date.now() - startedAtMs + TICK_MS) / options.spreadMs;
    const due = Math.min(messages.length, Math.ceil(messages.length * part));
    for (const message of messages.slice(next, due)) {
      confirms.push(publishOne(channel, message).then(() => options.onConfirmed(message)));
    }
    next = due;
    if (next < messages.length) await pause(TICK_MS, options.signal);
  }
  const results = await Promise.allSettled(confirms);
  const refused = results.find((result) => result.status === 'rejected');
  if (refused !== undefined) {
    throw new LocalRunError('PUBLISH_FAILED', `The broker refused a message: ${refused.reason}`, {
      cause: refused.reason,
    });
  }
  const [lost] = returned;
  if (lost !== undefined) {
    const { exchange, routingKey } = lost.fields;
    throw new LocalRunError(
      'PUBLISH_FAILED',
      `${returned.length} messages came back: nothing is bound to '${exchange}' for '${routingKey}'.`,
    );
  }
  await channel.close();
}

function publishOne(
  channel: Awaited<ReturnType<ChannelModel['createConfirmChannel']>>,
  message: PlannedMessage,
): Promise<void> {
  return new Promise((resolve, reject) => {
    channel.publish(
      message.exchange,
      message.routingKey,
      message.body,
      {
        messageId: message.messageId,
        correlationId: message.workId,
        type: message.type,
        appId: 'shop',
        contentType: 'application/json',
        timestamp: Math.floor(Date.now() / 1000),
        persistent: true,
        mandatory: true,
      },
      (error: unknown) => (error ? reject(error) : resolve()),
    );
  });
}
