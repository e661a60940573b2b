export type EventErrorCode = 'NOT_AN_OBJECT' | 'WRONG_SOURCE' | 'NO_QUEUES';

/**
 * The function was invoked with something that is no RabbitMQ event at all, so there is no message to
 * settle. Whatever is wrong with a single record never ends here.
 */
export class EventError extends Error {
  readonly code: EventErrorCode;

  constructor(code: EventErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventError';
    this.code = code;
  }
}

export type CopyErrorCode =
  /** The name of a header is over 255 bytes of UTF-8. */
  | 'HEADER_NAME_TOO_LONG'
  /** The value has no AMQP encoding: a bigint over 64 bits, an unknown type marker. */
  | 'HEADER_NOT_ENCODABLE'
  /** All headers together are over what one publish can carry; the largest one is named. */
  | 'HEADERS_TOO_LARGE'
  /** A property such as `correlationId` is over 255 bytes of UTF-8. */
  | 'PROPERTY_TOO_LONG';

/**
 * A message can't be copied whole: one of its headers or properties can't be sent on. Names it and
 * its encoded size, so that a log line says what to ask the sender. `copyOf(…, { unsendable: 'drop' })`
 * makes a copy without it, which is what parking should do: otherwise such a message comes back for ever.
 */
export class CopyError extends Error {
  readonly code: CopyErrorCode;
  /** The header, or the property when the code is `PROPERTY_TOO_LONG`. */
  readonly field: string;
  /** Encoded size of the field's value, or of the name when that is what is too long. */
  readonly bytes: number;

  constructor(code: CopyErrorCode, field: string, bytes: number, message: string) {
    super(message);
    this.name = 'CopyError';
    this.code = code;
    this.field = field;
    this.bytes = bytes;
  }
}
