import { randomBytes } from 'node:crypto';
import type { ConfirmChannel, Message } from 'amqplib';
import { HEADERS } from '../message/headers.ts';
import type { OutgoingCopy } from '../message/types.ts';
import type { BrokerConnection } from './connection.ts';
import { EarliestTimer, withDeadline } from './deadline.ts';
import { toEncodeError } from './encode-error.ts';
import { type BrokerError, ChannelError, ConnectionError, MessageError } from './errors.ts';
import { type FrameChannel, frameChannel } from './frame-channel.ts';
import { publishFrames } from './publish-frames.ts';

export interface PublisherOptions {
  readonly now: () => number;
  /** Called when a publish that was on the wire met its deadline in silence: the connection is in doubt. */
  readonly onSilence: () => void;
  /** The largest body the broker takes, as an earlier channel learned it. Default: unknown. */
  readonly maxBodyBytes?: number;
}

/** One publish on its way. Exactly one of `resolve` and `reject` is ever called. */
interface Pending {
  readonly token: string;
  readonly copy: OutgoingCopy;
  readonly deadlineAtMs: number;
  readonly resolve: () => void;
  readonly reject: (error: BrokerError) => void;
  onWire: boolean;
  settled: boolean;
}

/** Opens a confirm channel on `connection`. @throws ConnectionError, ChannelError by the deadline. */
export async function openPublisher(
  connection: BrokerConnection,
  deadlineAtMs: number,
  options: PublisherOptions,
): Promise<Publisher> {
  const opening = connection.model.createConfirmChannel().then(
    (channel) => new Publisher(channel, connection, options),
    (cause: unknown) => {
      throw connection.lost ?? new ChannelError('CHANNEL_CLOSED', 'No channel opened.', { cause });
    },
  );
  return withDeadline(opening, deadlineAtMs, options.now, () => {
    options.onSilence();
    return new ConnectionError('NO_ANSWER', 'The broker did not open a channel in time.');
  });
}

/**
 * One confirm channel, pipelined. A publish resolves when the broker has confirmed it and not returned it.
 *
 * - A return carries no delivery tag, and a confirm of an unroutable message is positive: only the token
 *   header tells whose return it was. RabbitMQ sends the return first.
 * - Writing that returns false means the copy was taken but the buffer is full; what follows is
 *   held until 'drain'. While the broker is blocked everything is held, since it reads nothing.
 * - One timer serves all deadlines.
 */
export class Publisher {
  readonly #channel: ConfirmChannel;
  readonly #frames: FrameChannel;
  readonly #connection: BrokerConnection;
  readonly #options: PublisherOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #tokenPrefix = randomBytes(6).toString('hex');
  readonly #stopListening: () => void;
  readonly #timer: EarliestTimer;
  #sequence = 0;
  #onWireCount = 0;
  #held: Pending[] = [];
  #bufferFull = false;
  #channelError: Error | undefined;
  #closed = false;
  #refused = false;
  #maxBodyBytes: number;

  constructor(channel: ConfirmChannel, connection: BrokerConnection, options: PublisherOptions) {
    this.#channel = channel;
    this.#frames = frameChannel(channel);
    this.#connection = connection;
    this.#options = options;
    this.#maxBodyBytes = options.maxBodyBytes ?? Number.POSITIVE_INFINITY;
    this.#timer = new EarliestTimer(options.now, () => this.#expire());
    this.#stopListening = connection.onChange(() => this.#flush());
    channel.on('return', (message: Message) => this.#returned(message));
    channel.on('drain', () => {
      this.#bufferFull = false;
      this.#flush();
    });
    channel.on('error', (error: Error) => {
      this.#channelError = error;
    });
    // Before amqplib's own listener, which calls every confirm callback with a bare 'channel closed'.
    channel.prependListener('close', () => this.#close());
    if (connection.lost !== undefined) this.#close();
  }

  /** False once the channel is gone; then every publish rejects. */
  get open(): boolean {
    return !this.#closed && this.#connection.lost === undefined;
  }

  /**
   * True when the broker has refused a publish here and none is under way: a channel of RabbitMQ 3.10
   * that was refused once goes on being refused after its queue has room again (seen).
   */
  get worn(): boolean {
    return this.#refused && this.#pending.size === 0 && this.#onWireCount === 0;
  }

  /** Closes the channel alone; the connection stays. Never waits. */
  retire(): void {
    if (this.open) this.#channel.close().catch(() => undefined);
  }

  /** The largest body the broker takes, when it has told by refusing one; else infinity. */
  get maxBodyBytes(): number {
    return this.#maxBodyBytes;
  }

  /** See {@link import('./types.ts').BrokerSession.publish}. */
  publish(copy: OutgoingCopy, deadlineAtMs: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#sequence += 1;
      const token = `${this.#tokenPrefix}-${this.#sequence.toString(36)}`;
      const pending: Pending = {
        token,
        copy,
        deadlineAtMs,
        resolve,
        reject,
        onWire: false,
        settled: false,
      };
      this.#pending.set(token, pending);
      if (!this.open) this.#settle(pending, this.#whyClosed(pending));
      else if (deadlineAtMs <= this.#options.now()) this.#settle(pending, this.#late(pending));
      else {
        this.#timer.arm(deadlineAtMs);
        if (this.#mustHold()) this.#held.push(pending);
        else this.#send(pending);
      }
    });
  }

  /** A round trip that changes nothing (basic.qos). @throws BrokerError when it fails or takes too long. */
  async prove(deadlineAtMs: number): Promise<void> {
    const answer = this.#channel.prefetch(0).then(
      () => undefined,
      (cause: unknown) => {
        throw this.#connection.lost ?? new ChannelError('CHANNEL_CLOSED', 'No answer.', { cause });
      },
    );
    await withDeadline(
      answer,
      deadlineAtMs,
      this.#options.now,
      () => new ConnectionError('NO_ANSWER', 'The broker did not answer a round trip in time.'),
    );
  }

  #mustHold(): boolean {
    return this.#bufferFull || this.#connection.blocked !== undefined;
  }

  #send(pending: Pending): void {
    const { copy } = pending;
    try {
      if (copy.body.length > this.#maxBodyBytes) throw this.#bodyTooLarge(copy);
      const { number, frameMaxBytes } = this.#frames;
      const frames = publishFrames(number, copy, pending.token, frameMaxBytes);
      // False: taken, but hold what follows. Publishing it again would double it.
      this.#bufferFull = !this.#frames.write(frames, (error) => this.#confirmed(pending, error));
      this.#connection.gather();
      pending.onWire = true;
      this.#onWireCount += 1;
    } catch (cause) {
      this.#settle(pending, this.open ? toEncodeError(cause, copy) : this.#whyClosed(pending));
    }
  }

  #flush(): void {
    if (!this.open) return;
    let sent = 0;
    for (const pending of this.#held) {
      if (this.#mustHold()) break;
      sent += 1;
      if (!pending.settled) this.#send(pending);
    }
    if (sent > 0) this.#held = this.#held.slice(sent);
  }

  #returned(message: Message): void {
    const token: unknown = message.properties.headers?.[HEADERS.publishToken];
    const pending = typeof token === 'string' ? this.#pending.get(token) : undefined;
    if (pending === undefined) return;
    const { replyCode, replyText } = message.fields as { replyCode?: number; replyText?: string };
    this.#settle(
      pending,
      new MessageError(
        'UNROUTABLE',
        `No queue "${pending.copy.queue}" took the message: ${replyCode} ${replyText}.`,
      ),
    );
  }

  #confirmed(pending: Pending, error: unknown): void {
    if (this.#closed) return;
    this.#onWireCount -= 1;
    if (error !== null) this.#refused = true;
    if (!pending.settled) {
      const nacked = `Queue "${pending.copy.queue}" refused the message (nack): it may be full or down.`;
      this.#settle(pending, error === null ? undefined : new MessageError('NACKED', nacked));
    }
    // Everything written is confirmed, so the buffer can't be full, 'drain' or not.
    if (this.#onWireCount === 0 && this.#bufferFull) {
      this.#bufferFull = false;
      this.#flush();
    }
  }

  #settle(pending: Pending, error: BrokerError | undefined): void {
    pending.settled = true;
    this.#pending.delete(pending.token);
    if (this.#pending.size === 0) this.#timer.disarm();
    if (error === undefined) pending.resolve();
    else pending.reject(error);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopListening();
    // amqplib tells why the connection went only after it has closed the channels.
    queueMicrotask(() => {
      const limit = /max size (\d+)/.exec(this.#channelError?.message ?? '')?.[1];
      if (limit !== undefined) this.#maxBodyBytes = Number(limit);
      for (const pending of [...this.#pending.values()]) {
        this.#settle(pending, this.#whyClosed(pending));
      }
      this.#held = [];
    });
  }

  #whyClosed(pending: Pending): BrokerError {
    const mayBeWritten = pending.onWire;
    if (pending.copy.body.length > this.#maxBodyBytes) return this.#bodyTooLarge(pending.copy);
    const { lost } = this.#connection;
    if (lost !== undefined) {
      return new ConnectionError('CONNECTION_LOST', lost.message, { cause: lost, mayBeWritten });
    }
    const cause = this.#channelError;
    const why = cause === undefined ? 'The channel is closed.' : `${cause.message}.`;
    return new ChannelError('CHANNEL_CLOSED', why, { cause, mayBeWritten });
  }

  #bodyTooLarge(copy: OutgoingCopy): MessageError {
    return new MessageError(
      'TOO_LARGE',
      `The body for queue "${copy.queue}" has ${copy.body.length} bytes; the broker takes ${this.#maxBodyBytes}.`,
    );
  }

  #late(pending: Pending): BrokerError {
    const mayBeWritten = pending.onWire;
    const fate = mayBeWritten ? 'it may have been written' : 'it was not sent';
    const { blocked } = this.#connection;
    return blocked === undefined
      ? new ConnectionError('NO_ANSWER', `No confirm came before the deadline; ${fate}.`, {
          mayBeWritten,
        })
      : new ConnectionError('BLOCKED', `The broker blocks publishing (${blocked}); ${fate}.`, {
          mayBeWritten,
        });
  }

  #expire(): void {
    const now = this.#options.now();
    let nextAtMs = Number.POSITIVE_INFINITY;
    let silent = false;
    for (const pending of [...this.#pending.values()]) {
      if (pending.deadlineAtMs > now) nextAtMs = Math.min(nextAtMs, pending.deadlineAtMs);
      else {
        silent ||= pending.onWire && this.#connection.blocked === undefined;
        this.#settle(pending, this.#late(pending));
      }
    }
    if (nextAtMs !== Number.POSITIVE_INFINITY) this.#timer.arm(nextAtMs);
    if (silent) this.#options.onSilence();
  }
}
