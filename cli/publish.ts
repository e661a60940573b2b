import type { ChannelModel, Options } from 'amqplib';
import { CommandFailedError } from './exit.ts';

/** A broker with a memory or disk alarm reads no publishes and says nothing. */
const CONFIRM_TIMEOUT_MS = 10_000;

/**
 * Publishes one message to a queue by name. Resolves when it was confirmed and routed.
 * @throws CommandFailedError that says which of the two failed; the message is in no queue then, except
 * perhaps after a timeout
 */
export async function publish(
  connection: ChannelModel,
  queue: string,
  body: Buffer,
  properties: Options.Publish,
): Promise<void> {
  const channel = await connection.createConfirmChannel();
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (text: string, cause?: unknown): void =>
        reject(new CommandFailedError(text, { cause }));
      timer = setTimeout(
        () => fail(`The broker did not confirm within ${CONFIRM_TIMEOUT_MS / 1000} s.`),
        CONFIRM_TIMEOUT_MS,
      );
      channel.on('error', (error: Error) => fail(`The broker refused: ${error.message}`, error));
      let returned = false;
      channel.on('return', () => {
        returned = true;
      });
      const options = { ...properties, persistent: true, mandatory: true };
      channel.publish('', queue, body, options, (error) => {
        // The return of an unroutable message comes first, and then a confirm like any other.
        if (returned) fail(noQueue(queue));
        else if (error) fail(`The broker did not take it into '${queue}': ${reason(error)}`, error);
        else resolve();
      });
    });
    await channel.close();
  } finally {
    clearTimeout(timer);
  }
}

function noQueue(queue: string): string {
  return `There is no queue '${queue}' on this broker, so nothing was sent. It is made by the deployment, or here by: npm start -- --keep`;
}

function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text === 'message nacked' ? 'it was rejected (nack); the queue may be full.' : text;
}
