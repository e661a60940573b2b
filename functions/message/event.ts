/**
 * The event AWS Lambda receives from an Amazon MQ for RabbitMQ event source mapping.
 *
 * Nobody publishes types for it. These follow the sample of the Lambda developer guide and the JSON a
 * JVM makes of the RabbitMQ Java client's `BasicProperties`. They describe what is *expected*:
 * `decodeEvent` takes `unknown` and survives everything else.
 */

/** The whole event. One mapping reads one queue, so there is usually one key. */
export interface RabbitMqEvent {
  readonly eventSource: 'aws:rmq';
  /** The ARN of the Amazon MQ broker. */
  readonly eventSourceArn: string;
  /**
   * Records by `"<queue>::<virtual host>"`. Either part may itself contain `::`, which makes the key
   * ambiguous; see `splitQueueKey`.
   */
  readonly rmqMessagesByQueue: Readonly<Record<string, readonly RabbitMqRecord[]>>;
}

/**
 * One message. Exchange, routing key and delivery tag are missing: AWS doesn't pass them on.
 */
export interface RabbitMqRecord {
  readonly basicProperties: RabbitMqBasicProperties;
  /**
   * True when the broker delivered the message before, and also on the first delivery of a message
   * that came through a dead-letter exchange after a reject.
   */
  readonly redelivered: boolean;
  /** The body as base64; `""` for an empty body. */
  readonly data: string;
}

/** The AMQP properties. Every one of them is null when the sender didn't set it. */
export interface RabbitMqBasicProperties {
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  /** Null, `{}` or `[]` when there are none. */
  readonly headers: RabbitMqHeaders | null | readonly [];
  /** 1 transient, 2 persistent. */
  readonly deliveryMode: number | null;
  readonly priority: number | null;
  readonly correlationId: string | null;
  readonly replyTo: string | null;
  /** The per-message TTL in milliseconds: text, in some fixtures a number. */
  readonly expiration: string | number | null;
  readonly messageId: string | null;
  /**
   * UTC without saying so, in US English: `Jul 2, 2023, 1:30:34 AM`. JVMs from 20 on put a narrow
   * no-break space (U+202F) before AM or PM.
   */
  readonly timestamp: string | null;
  readonly type: string | null;
  readonly userId: string | null;
  readonly appId: string | null;
  readonly clusterId: string | null;
  /** Not reliable in published samples; `data` is what counts. */
  readonly bodySize: number;
}

/** A header table as JSON. Keys come from strangers: `__proto__` and `!` are possible. */
export interface RabbitMqHeaders {
  readonly [name: string]: RabbitMqHeaderValue;
}

/**
 * A long string (AMQP `S`): the bytes of its text, **signed** (`é` is `[-61, -87]`). Not all of them
 * are UTF-8. A sender's own table with the one key `bytes` that holds an array of such numbers looks
 * exactly the same.
 */
export interface RabbitMqLongString {
  readonly bytes: readonly number[];
}

/**
 * A header value as JSON. What the JVM's dump no longer tells apart:
 * - all integer types (byte to long) and whole doubles: a number; beyond 2^53 already rounded
 * - float, double and decimal: a number
 * - a byte array (AMQP `x`) and an array of small integers: a list of numbers
 * - a timestamp (AMQP `T`): bare text, the only kind of value that is
 */
export type RabbitMqHeaderValue =
  | null
  | boolean
  | number
  | string
  | RabbitMqLongString
  | readonly RabbitMqHeaderValue[]
  | RabbitMqHeaders;
