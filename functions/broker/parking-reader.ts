import { setTimeout as wait } from 'node:timers/promises';
import type { Channel, ConsumeMessage, GetMessage } from 'amqplib';
import { HEADERS } from '../message/headers.ts';
import { AckBook } from './ack-book.ts';
import type { BrokerConnection } from './connection.ts';
import { withDeadline } from './deadline.ts';
import type { Login } from './login.ts';
import { ParkingError } from './parking-errors.ts';
import { takeParkingLock } from './parking-lock.ts';

export interface ParkingReaderOptions {
  readonly queue: string;
  /** Name of the lock queue; undefined: a look that moves nothing and needs no lock. */
  readonly lock: string | undefined;
  readonly now: () => number;
  readonly deadlineAtMs: number;
}

export interface ScanOptions {
  /** Most messages to hold at once. One consumer's prefetch has 16 bits. */
  readonly window: number;
  /** Called for each message in the order of the queue. After `enough` the scan looks no further. */
  readonly onDelivery: (delivery: ConsumeMessage) => 'more' | 'enough';
  /** The scan ends when nothing came for so long. @default 5000 */
  readonly silenceMs?: number;
  readonly signal?: AbortSignal;
  /**
   * How many of the `expected` to hold at once, when others are acknowledged meanwhile: less in memory.
   * @default all of them
   */
  readonly prefetch?: (expected: number) => number;
}

export interface ScanEnd {
  /** Messages ready when the scan began. */
  readonly depth: number;
  readonly scanned: number;
  /** `all`: the window was read to its end. */
  readonly end: 'all' | 'enough' | 'silence' | 'stopped';
}

/** AMQP's limit for one consumer. Deeper queues are worked in windows. */
export const MAX_WINDOW = 65_535;
const SILENCE_MS = 5_000;
const ANSWER_MS = 10_000;
const LONGEST_PAUSE_MS = 50;

/**
 * Connects, takes the lock and makes sure that the queue exists.
 * @throws ParkingError `PARKING_LOCKED`, `PARKING_MISSING`; ConnectionError
 */
export async function openParkingReader(
  login: Login,
  options: ParkingReaderOptions,
): Promise<ParkingReader> {
  const connection = await login(options.deadlineAtMs);
  try {
    if (options.lock !== undefined) await takeParkingLock(connection, options.lock);
    const reader = new ParkingReader(connection, options.queue, options.now);
    await reader.depth();
    return reader;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/**
 * Reads a parking queue by holding its messages unacknowledged, which costs them nothing when the queue
 * was declared with our delivery limit, and gives back in order what was not acknowledged. One scan at a
 * time; `release` ends it. A second channel on the same queue would give more than one window, but the
 * order across channels is not proven, so there is none.
 */
export class ParkingReader {
  readonly #connection: BrokerConnection;
  readonly #queue: string;
  readonly #now: () => number;
  #channel: Channel | undefined;
  #acks: AckBook | undefined;
  /** The delivery with the highest tag. */
  #newest: ConsumeMessage | undefined;
  #flushing = false;
  #lost: ParkingError | undefined;
  #onLost: ((error: ParkingError) => void) | undefined;

  constructor(connection: BrokerConnection, queue: string, now: () => number) {
    this.#connection = connection;
    this.#queue = queue;
    this.#now = now;
    connection.onChange(() => {
      if (connection.lost !== undefined) this.#lose(connection.lost);
    });
  }

  /** Why nothing that was held can be acknowledged any more; undefined while it can. */
  get lost(): ParkingError | undefined {
    return this.#lost;
  }

  /** Messages ready in the queue. @throws ParkingError `PARKING_MISSING` */
  async depth(): Promise<number> {
    const channel = await this.#answer(this.#connection.model.createChannel());
    channel.on('error', () => {});
    try {
      const { messageCount } = await this.#answer(channel.checkQueue(this.#queue));
      await this.#answer(channel.close());
      return messageCount;
    } catch (cause) {
      if ((cause as { readonly code?: unknown }).code !== 404) throw cause;
      const text = `There is no queue ${this.#queue}; apply the topology first.`;
      throw new ParkingError('PARKING_MISSING', text, { cause });
    }
  }

  /**
   * Reads from the head of the queue. Everything delivered stays held until it is acknowledged or
   * released, also after the scan's end. New arrivals behind the depth at the start are not shown.
   * @throws ParkingError `PARKING_LOST`
   */
  async scan(options: ScanOptions): Promise<ScanEnd> {
    const channel = await this.#open();
    const { messageCount: depth } = await this.#answer(channel.checkQueue(this.#queue));
    const expected = Math.min(depth, options.window, MAX_WINDOW);
    if (expected === 0) return { depth, scanned: 0, end: 'all' };
    const ahead = options.prefetch?.(expected) ?? expected;
    await this.#answer(channel.prefetch(Math.min(expected, Math.max(1, ahead))));
    return this.#consume(channel, depth, expected, options);
  }

  /** Gives a message up for good: it leaves the queue. */
  ack(tag: number): void {
    this.#acks?.done(tag);
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => this.#flush());
  }

  /** Says that a message stays, so that acknowledgements behind it needn't wait for it. */
  hold(tag: number): void {
    this.#acks?.hold(tag);
  }

  /**
   * Sends acknowledgements and waits until the broker has read them. That they are carried out is only
   * known after {@link release}. @throws ParkingError
   */
  async settle(): Promise<void> {
    this.#acks?.flush();
    const channel = this.#mustHave();
    await this.#answer(channel.checkQueue(this.#queue));
  }

  /**
   * Gives back everything held, in its order, and waits until it is ready again.
   *
   * First one message goes back, by itself: that makes acknowledgements sure. A channel sends a quorum
   * queue at most 32 commands ahead and keeps the others; closed in that moment it forgets them, and the
   * queue gives the messages out again. Commands keep their order, so once that message is ready, all
   * before it was done. It is the first of those that stay, so it remains the first. When none stays, it
   * is the newest one, and is then taken out by itself.
   *
   * The others go back by closing the channel, which keeps their order on every version. A nack of many
   * does not on RabbitMQ 3.x: what one command gives back comes in the order of an Erlang map, which is
   * none beyond 32 messages (seen on 3.10.8).
   *
   * @throws ParkingError `PARKING_UNSETTLED`, `PARKING_LOST`
   */
  async release(): Promise<void> {
    const channel = this.#channel;
    const acks = this.#acks;
    if (channel === undefined || acks === undefined || this.#lost !== undefined) return;
    const first = acks.finish();
    const last = acks.openCount === 0 ? this.#newest : undefined;
    let readyAtLeast = 0;
    try {
      if (first === undefined) return;
      const { messageCount } = await this.#answer(channel.checkQueue(this.#queue));
      channel.nack({ fields: { deliveryTag: first } } as ConsumeMessage, false, true);
      await this.#becomesReady(channel, messageCount + 1);
      if (last !== undefined) await this.#takeOut(channel, last);
      else readyAtLeast = messageCount + acks.openCount;
    } finally {
      this.#channel = undefined;
      this.#acks = undefined;
      this.#newest = undefined;
      if (this.#lost === undefined) await this.#answer(channel.close());
    }
    if (readyAtLeast > 0) await this.#allReady(readyAtLeast);
  }

  /** Ends the connection, and with it the lock. What is still held goes back to the queue. */
  async close(): Promise<void> {
    this.#onLost = undefined;
    await this.#connection.close();
  }

  async #open(): Promise<Channel> {
    if (this.#lost !== undefined) throw this.#lost;
    const channel = await this.#answer(this.#connection.model.createChannel());
    channel.on('error', (error: Error) => this.#lose(error));
    channel.on('close', () => {
      if (this.#channel === channel) this.#lose(new Error('the channel was closed'));
    });
    this.#channel = channel;
    this.#acks = new AckBook((tag, upTo) => {
      channel.ack({ fields: { deliveryTag: tag } } as ConsumeMessage, upTo);
      this.#connection.gather();
    });
    return channel;
  }

  async #consume(
    channel: Channel,
    depth: number,
    expected: number,
    options: ScanOptions,
  ): Promise<ScanEnd> {
    const { onDelivery, signal, silenceMs = SILENCE_MS } = options;
    const { promise, resolve, reject } = Promise.withResolvers<ScanEnd['end']>();
    // Awaited further down; until then a lost hold must not count as unheard of.
    promise.catch(() => undefined);
    let scanned = 0;
    let over = false;
    const finish = (end: ScanEnd['end']) => {
      over = true;
      resolve(end);
    };
    const stop = () => finish('stopped');
    const silence = setTimeout(() => finish('silence'), silenceMs);
    this.#onLost = (error) => {
      over = true;
      reject(error);
    };
    signal?.addEventListener('abort', stop);
    try {
      if (signal?.aborted === true) stop();
      const { consumerTag } = await this.#answer(
        channel.consume(this.#queue, (delivery) => {
          // The broker cancelled the consumer: the queue was deleted, or held for too long (4.3).
          if (delivery === null) this.#lose(new Error('the broker cancelled the consumer'));
          if (delivery === null) return;
          // Also what comes after the scan's end is held, and given back.
          this.#acks?.came(delivery.fields.deliveryTag);
          this.#newest = delivery;
          if (over) return;
          scanned += 1;
          silence.refresh();
          try {
            const answer = onDelivery(delivery);
            if (answer === 'enough') finish('enough');
            else if (scanned === expected) finish('all');
          } catch (error) {
            over = true;
            reject(error);
          }
        }),
      );
      const end = await promise;
      await this.#answer(channel.cancel(consumerTag));
      return { depth, scanned, end };
    } finally {
      clearTimeout(silence);
      signal?.removeEventListener('abort', stop);
      this.#onLost = undefined;
    }
  }

  async #allReady(count: number): Promise<void> {
    const channel = await this.#answer(this.#connection.model.createChannel());
    channel.on('error', () => {});
    await this.#becomesReady(channel, count);
    await this.#answer(channel.close());
  }

  async #becomesReady(channel: Channel, count: number): Promise<void> {
    const untilMs = this.#now() + ANSWER_MS;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const { messageCount } = await this.#answer(channel.checkQueue(this.#queue));
      if (messageCount >= count) return;
      if (this.#now() >= untilMs)
        throw unsettled(this.#queue, `${messageCount} of ${count} are ready`);
      await wait(pauseMs);
    }
  }

  /**
   * The message that was given back is first in the queue, but for arrivals on their way to the consumer
   * when it was cancelled: RabbitMQ 3.x puts those back before it. They are held until the channel closes.
   */
  async #takeOut(channel: Channel, last: ConsumeMessage): Promise<void> {
    const untilMs = this.#now() + ANSWER_MS;
    for (;;) {
      const next = await this.#answer(channel.get(this.#queue));
      if (next === false) throw unsettled(this.#queue, 'the last message did not come back');
      if (isSame(next, last)) {
        channel.ack(next);
        await this.#answer(channel.checkQueue(this.#queue));
        return;
      }
      if (this.#now() >= untilMs) throw unsettled(this.#queue, 'other messages came first');
    }
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#lost === undefined) this.#acks?.flush();
  }

  #mustHave(): Channel {
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#channel !== undefined) return this.#channel;
    throw new ParkingError('PARKING_LOST', `Nothing of ${this.#queue} is held.`);
  }

  #lose(cause: Error): void {
    if (this.#lost !== undefined) return;
    this.#lost = new ParkingError(
      'PARKING_LOST',
      `The hold on ${this.#queue} is lost: ${cause.message}.`,
      { cause },
    );
    this.#onLost?.(this.#lost);
  }

  /** The answer of the broker, within bounds; an ended channel or connection is a lost hold. */
  async #answer<T>(work: Promise<T>): Promise<T> {
    try {
      return await withDeadline(work, this.#now() + ANSWER_MS, this.#now, () => {
        this.#connection.drop('it did not answer');
        return new ParkingError('PARKING_LOST', `The broker does not answer about ${this.#queue}.`);
      });
    } catch (error) {
      throw this.#lost ?? error;
    }
  }
}

function unsettled(queue: string, detail: string): ParkingError {
  const text = `Whether all acknowledgements to ${queue} were carried out is not known: ${detail}.`;
  return new ParkingError('PARKING_UNSETTLED', text);
}

function isSame(a: GetMessage, b: ConsumeMessage): boolean {
  const tokenOf = ({ properties }: GetMessage | ConsumeMessage): unknown =>
    properties.headers?.[HEADERS.publishToken];
  return (
    a.properties.messageId === b.properties.messageId &&
    tokenOf(a) === tokenOf(b) &&
    a.content.equals(b.content)
  );
}
