/**
 * What the rest of the house sees of a message. Both sources, the Lambda event and an AMQP delivery,
 * are decoded into these types; nothing else knows their shapes.
 */

/** An AMQP field value whose wire type is stated, in the notation amqplib encodes. */
export interface TypedValue {
  readonly '!': 'int' | 'long' | 'double' | 'float' | 'timestamp' | 'decimal';
  readonly value: number | bigint | { readonly places: number; readonly digits: number };
}

export type HeaderValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | TypedValue
  | readonly HeaderValue[]
  | HeaderTable;

/** A header table. Always without a prototype, so that a key such as `__proto__` is only a key. */
export interface HeaderTable {
  readonly [key: string]: HeaderValue;
}

/** The AMQP properties Layover reads. Absent means absent: the event's nulls are gone. */
export interface MessageProperties {
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly priority?: number;
  readonly correlationId?: string;
  readonly replyTo?: string;
  /** The broker's per-message TTL in milliseconds, as text, as it came. Never copied on. */
  readonly expiration?: string;
  readonly messageId?: string;
  /** Whole seconds since 1970, UTC. */
  readonly timestampSeconds?: number;
  /** The event's timestamp when it could not be read; kept for the log, never sent on. */
  readonly timestampText?: string;
  readonly type?: string;
  readonly userId?: string;
  readonly appId?: string;
  readonly deliveryMode?: number;
}

/** One entry of the broker's `x-death`, newest first in {@link Message.deaths}. */
export interface Death {
  readonly queue: string;
  readonly reason: string;
  readonly count: number;
  readonly exchange?: string;
  readonly routingKeys: readonly string[];
  readonly timeSeconds?: number;
  /** True for the death `x-first-death-*` names: its exchange and keys are the sender's. */
  readonly first?: boolean;
}

/** Why a message failed, as its headers carry it. */
export interface FailureStamp {
  readonly class: string;
  readonly rule: string;
  readonly signature: string;
  readonly name: string;
  readonly code?: string;
  /** Scrubbed, at most 1 KiB of UTF-8. */
  readonly message: string;
}

export interface Origin {
  readonly queue?: string;
  readonly exchange?: string;
  readonly routingKey?: string;
  readonly userId?: string;
  /** When the sender's own `expiration` would have ended the message. */
  readonly deadline?: Date;
  /** Deaths the message had before our first copy, as data: `queue:reason:count, …`. */
  readonly deaths?: string;
  /** Headers and properties a copy had to leave behind, as data: `name:bytes, …`. */
  readonly dropped?: string;
}

export interface ReplayState {
  readonly count: number;
  readonly run?: string;
  readonly at?: Date;
  readonly by?: string;
  readonly reason?: string;
  readonly ticket?: string;
}

/** A run that ended while its claim could not be changed; `owner` is the claim's. */
export interface EndedRun {
  readonly owner: string;
  /** True when the handler succeeded, so that the message needs no further run. */
  readonly done: boolean;
}

/** What Layover's own headers say. Forged, negative and absurd values are already clamped. */
export interface MessageState {
  /** True when one of our copies was read, so that the blocks below are ours. */
  readonly own: boolean;
  /** Retries so far: attempt − 1. Never negative. */
  readonly retryCount: number;
  readonly notBefore?: Date;
  readonly failure?: FailureStamp;
  /** When Layover first gave the message back (failed or deferred); maxElapsed counts from here. */
  readonly firstAt?: Date;
  readonly lastAt?: Date;
  readonly consumer?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly suspect: boolean;
  /** The suspect mark may say that a run ended which the table of claims could not be told. */
  readonly endedRun?: EndedRun;
  readonly origin: Origin;
  readonly replay: ReplayState;
}

export interface Message {
  /** The queue it was read from (which may be the isolated or the parking queue). */
  readonly queue: string;
  readonly vhost: string;
  readonly properties: MessageProperties;
  /** The sender's headers only: ours and the broker's are in `state`, `deaths` and the counts. */
  readonly headers: HeaderTable;
  readonly body: Buffer;
  readonly redelivered: boolean;
  /** `x-delivery-count`; absent on classic queues and on first deliveries. */
  readonly deliveryCount?: number;
  /** `x-acquired-count` (RabbitMQ 4.x); absent elsewhere and on first deliveries. */
  readonly acquiredCount?: number;
  readonly deaths: readonly Death[];
  readonly state: MessageState;
}

/** What a copy is stamped with; `functions/message/copy.ts` turns it into headers. */
export interface CopyStamp {
  readonly retryCount: number;
  /** When a lap may end. Absent: the header is removed. */
  readonly notBefore?: Date;
  /** Absent (a deferral): the failure block stays as it was. */
  readonly failure?: FailureStamp;
  /** Time of this move; becomes first-at when there is none, last-at when `failure` is given. */
  readonly at: Date;
  readonly consumer: {
    readonly flow: string;
    readonly version: string;
    readonly requestId: string;
  };
  readonly labels?: Readonly<Record<string, string>>;
  readonly suspect: boolean;
  readonly endedRun?: EndedRun;
  /** Used when the message has no messageId of its own. */
  readonly messageIdIfMissing: string;
  /** The flow's work queue, for `x-origin-queue`. */
  readonly workQueue: string;
}

/** A message ready to be published to a queue through the default exchange. */
export interface OutgoingCopy {
  readonly queue: string;
  readonly body: Buffer;
  readonly properties: Omit<
    MessageProperties,
    'expiration' | 'userId' | 'deliveryMode' | 'timestampText'
  >;
  /** Complete, in the form amqplib encodes; the publisher adds only its token. */
  readonly headers: HeaderTable;
}
