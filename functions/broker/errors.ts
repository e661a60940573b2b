/** How far a fault reaches: one message, everything on the channel, everything on the connection. */
export type BlastRadius = 'message' | 'channel' | 'connection';

export type MessageErrorCode = 'UNROUTABLE' | 'NACKED' | 'TOO_LARGE' | 'UNENCODABLE';
export type ChannelErrorCode = 'CHANNEL_CLOSED';
export type ConnectionErrorCode =
  | 'CONNECTION_LOST'
  | 'BLOCKED'
  | 'NO_ANSWER'
  | 'CONNECT_FAILED'
  | 'ACCESS_REFUSED'
  | 'SECRET_UNREADABLE'
  | 'TLS';
export type BrokerErrorCode = MessageErrorCode | ChannelErrorCode | ConnectionErrorCode;

/** Whether the same call can succeed later in the same invocation, with nothing changed by us. */
const RETRYABLE: Readonly<Record<BrokerErrorCode, boolean>> = {
  // A deployment may be about to create the queue; failing at once would only redeliver the batch.
  UNROUTABLE: true,
  NACKED: true,
  TOO_LARGE: false,
  UNENCODABLE: false,
  CHANNEL_CLOSED: true,
  CONNECTION_LOST: true,
  BLOCKED: true,
  NO_ANSWER: true,
  CONNECT_FAILED: true,
  // The secret has been read again by then.
  ACCESS_REFUSED: false,
  SECRET_UNREADABLE: true,
  TLS: false,
};

export interface BrokerErrorOptions extends ErrorOptions {
  /** Overrides what is usual for the code. */
  readonly retryable?: boolean;
  /** True when the copy was on the wire, so that the broker may hold it all the same. Default false. */
  readonly mayBeWritten?: boolean;
}

/** Trouble between us and the broker: the product's own, never a verdict on the message. */
export abstract class BrokerError extends Error {
  readonly code: BrokerErrorCode;
  readonly blast: BlastRadius;
  readonly retryable: boolean;
  /** The outcome is unknown: publishing again may make a second copy, giving up may lose none. */
  readonly mayBeWritten: boolean;

  constructor(
    code: BrokerErrorCode,
    blast: BlastRadius,
    message: string,
    options: BrokerErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.blast = blast;
    this.retryable = options.retryable ?? RETRYABLE[code];
    this.mayBeWritten = options.mayBeWritten ?? false;
  }
}

/**
 * One message was not taken; every other publish goes on.
 * `UNROUTABLE`: returned, the queue does not exist. `NACKED`: refused, mostly because the queue is full.
 * `TOO_LARGE`: headers over 64 KiB, or a body over the broker's limit. `UNENCODABLE`: a value AMQP has no form for.
 */
export class MessageError extends BrokerError {
  override readonly name = 'MessageError';
  constructor(code: MessageErrorCode, message: string, options?: BrokerErrorOptions) {
    super(code, 'message', message, options);
  }
}

/**
 * The broker closed the channel: all that was unconfirmed on it has an unknown outcome.
 * The connection lives, and the next publish opens another channel.
 */
export class ChannelError extends BrokerError {
  override readonly name = 'ChannelError';
  constructor(code: ChannelErrorCode, message: string, options?: BrokerErrorOptions) {
    super(code, 'channel', message, options);
  }
}

/**
 * There is no usable connection. `CONNECTION_LOST`: it ended. `BLOCKED`: the broker is in a resource alarm
 * and stopped reading. `NO_ANSWER`: the deadline passed in silence. `CONNECT_FAILED`, `TLS`, `ACCESS_REFUSED`,
 * `SECRET_UNREADABLE`: it could not be made.
 */
export class ConnectionError extends BrokerError {
  override readonly name = 'ConnectionError';
  constructor(code: ConnectionErrorCode, message: string, options?: BrokerErrorOptions) {
    super(code, 'connection', message, options);
  }
}
