import type { OutgoingCopy } from '../message/types.ts';
import { BrokerError, MessageError } from './errors.ts';

/**
 * Why a copy could not be encoded, before a byte is written: other publishes are not touched. A RangeError
 * of the buffer's size means it is too large, anything else that it has no AMQP form.
 */
export function toEncodeError(cause: unknown, copy: OutgoingCopy): BrokerError {
  if (cause instanceof BrokerError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof RangeError && text.startsWith('more than')) {
    return new MessageError(
      'TOO_LARGE',
      `The headers for queue "${copy.queue}" exceed 64 KiB, or what the broker takes in one frame.`,
      { cause },
    );
  }
  return new MessageError(
    'UNENCODABLE',
    `The message for queue "${copy.queue}" has no AMQP form: ${text}.`,
    { cause },
  );
}
