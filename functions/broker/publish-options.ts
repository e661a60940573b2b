import type { Options } from 'amqplib';
import { HEADERS } from '../message/headers.ts';
import type { OutgoingCopy } from '../message/types.ts';
import { BrokerError, MessageError } from './errors.ts';

/**
 * The copy as amqplib's options: persistent and mandatory, always. Never expiration, userId, CC or BCC.
 * The headers get their token in a table of their own, so the caller's is not changed.
 */
export function publishOptions(copy: OutgoingCopy, token: string): Options.Publish {
  const { properties } = copy;
  const options: { [Key in keyof Options.Publish]: Options.Publish[Key] | undefined } = {
    mandatory: true,
    deliveryMode: 2,
    // Without a prototype: amqplib sends what is inherited as well, and `__proto__` must stay a key.
    headers: { __proto__: null, ...copy.headers, [HEADERS.publishToken]: token },
    contentType: properties.contentType,
    contentEncoding: properties.contentEncoding,
    priority: properties.priority,
    correlationId: properties.correlationId,
    replyTo: properties.replyTo,
    messageId: properties.messageId,
    timestamp: properties.timestampSeconds,
    type: properties.type,
    appId: properties.appId,
  };
  return options as Options.Publish;
}

/**
 * What amqplib throws while encoding, before a byte is written: other publishes are not touched.
 * Since 2.3.1 that is a RangeError when the header table exceeds its 64 KiB buffer; a property over
 * 255 bytes or of the wrong type is a TypeError, a header name over 255 bytes Node's ERR_OUT_OF_RANGE.
 */
export function toEncodeError(cause: unknown, copy: OutgoingCopy): BrokerError {
  if (cause instanceof BrokerError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof RangeError && text.includes('encoding buffer')) {
    return new MessageError(
      'TOO_LARGE',
      `The headers for queue "${copy.queue}" exceed 64 KiB, the most one frame is given.`,
      { cause },
    );
  }
  return new MessageError(
    'UNENCODABLE',
    `The message for queue "${copy.queue}" has no AMQP form: ${text}.`,
    { cause },
  );
}
