import type { Channel, ChannelModel } from 'amqplib';
import { TopologyError } from './errors.ts';

/** The broker's no: it closed the channel with this code and text. */
export class BrokerReply {
  readonly code: number;
  readonly text: string;

  constructor(code: number, text: string) {
    this.code = code;
    this.text = text;
  }
}

export function isReply(answer: unknown): answer is BrokerReply {
  return answer instanceof BrokerReply;
}

/**
 * Asks one thing after the other. A no closes the channel, so the next question gets a fresh one.
 * Each question has what is left of one time limit.
 */
export class BrokerDialogue {
  readonly #connection: ChannelModel;
  readonly #outOfTime: Promise<never>;
  readonly #timer: NodeJS.Timeout;
  #channel: Channel | undefined;
  #whyLost: string | undefined;
  readonly #noteLoss = (error?: Error) => {
    this.#whyLost ??= error?.message;
  };

  constructor(connection: ChannelModel, timeoutMs: number) {
    this.#connection = connection;
    connection.on('error', this.#noteLoss);
    connection.on('close', this.#noteLoss);
    const { promise, reject } = Promise.withResolvers<never>();
    this.#outOfTime = promise;
    promise.catch(() => undefined);
    this.#timer = setTimeout(
      () =>
        reject(
          new TopologyError(
            'INTERRUPTED',
            `The broker did not answer within ${timeoutMs} ms; what was made so far stays.`,
          ),
        ),
      timeoutMs,
    );
  }

  /**
   * The answer, or the broker's no as a BrokerReply. `about` is what a person is told when neither comes.
   * @throws TopologyError `INTERRUPTED` when the connection ends or the time is up.
   */
  async ask<T>(
    about: string,
    question: (channel: Channel) => Promise<T>,
  ): Promise<T | BrokerReply> {
    try {
      this.#channel ??= await Promise.race([this.#open(), this.#outOfTime]);
      return await Promise.race([question(this.#channel), this.#outOfTime]);
    } catch (error) {
      this.#channel = undefined;
      if (error instanceof TopologyError) throw error;
      if (error instanceof Error && 'code' in error && typeof error.code === 'number') {
        return new BrokerReply(error.code, plainText(error.message));
      }
      const why = this.#whyLost ?? (error instanceof Error ? error.message : String(error));
      throw new TopologyError(
        'INTERRUPTED',
        `The connection to the broker ended at ${about}; what was made so far stays: ${why}.`,
        { cause: error },
      );
    }
  }

  /** Lets go of the channel without waiting for the broker. */
  end(): void {
    clearTimeout(this.#timer);
    this.#connection.off('error', this.#noteLoss);
    this.#connection.off('close', this.#noteLoss);
    this.#channel?.close().catch(() => undefined);
    this.#channel = undefined;
  }

  async #open(): Promise<Channel> {
    const channel = await this.#connection.createChannel();
    // The same news arrives as the question's rejection.
    channel.on('error', () => undefined);
    return channel;
  }
}

/** amqplib wraps the text: `Operation failed: QueueDeclare; 406 (PRECONDITION-FAILED) with message "…"`. */
function plainText(message: string): string {
  return /with message "(.*)"$/s.exec(message)?.[1] ?? message;
}
