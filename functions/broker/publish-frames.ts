import { HEADERS } from '../message/headers.ts';
import { HEADERS_LIMIT_BYTES } from '../message/limits.ts';
import type { OutgoingCopy } from '../message/types.ts';
import { FieldWriter } from './field-writer.ts';

/** AMQP 0-9-1, section 4.2.3: type, channel and size before a frame's payload, one end byte after it. */
const FRAME_HEAD_BYTES = 7;
const FRAME_BYTES = FRAME_HEAD_BYTES + 1;
const FRAME_END = 0xce;
const METHOD = 1;
const HEADER = 2;
const BODY = 3;
const BASIC = 60;
const PUBLISH = 40;
const MANDATORY = 1;
const PERSISTENT = 2;

/** Of the properties that copies have; section 4.2.6 numbers them from the top bit down. */
const FLAGS = {
  contentType: 0x8000,
  contentEncoding: 0x4000,
  headers: 0x2000,
  deliveryMode: 0x1000,
  priority: 0x0800,
  correlationId: 0x0400,
  replyTo: 0x0200,
  messageId: 0x0080,
  timestamp: 0x0040,
  type: 0x0020,
  appId: 0x0008,
} as const;

/** Room for everything but the table: a queue name and seven text properties of 255 bytes at most. */
const OTHER_BYTES = 4_096;

/** The one encoding buffer: encoding never waits for anything. */
const writer = new FieldWriter(HEADERS_LIMIT_BYTES + OTHER_BYTES);

/**
 * All frames of one publish to the default exchange: `basic.publish`, content header, body. Persistent and
 * mandatory, always. Never expiration, userId, CC or BCC. The token goes behind the copy's own headers,
 * which are not changed.
 *
 * Instead of amqplib's encoder, which copies the table for each message and takes more time for a
 * copy's thirty headers than all the rest of settling; the bytes are the same.
 *
 * @param frameMaxBytes as agreed upon with the broker; 0 means there is no limit
 * @throws TypeError or RangeError when the copy has no AMQP form; nothing is written then
 */
export function publishFrames(
  channel: number,
  copy: OutgoingCopy,
  token: string,
  frameMaxBytes: number,
): Buffer {
  const { body } = copy;
  writer.offset = 0;
  frame(METHOD, channel, () => writeMethod(copy.queue));
  const from = writer.offset;
  frame(HEADER, channel, () => writeHeader(copy, token));
  if (frameMaxBytes > 0 && writer.offset - from > frameMaxBytes) {
    throw new RangeError(`more than the ${frameMaxBytes} bytes of a frame`);
  }
  const most = frameMaxBytes > 0 ? frameMaxBytes - FRAME_BYTES : body.length;
  const bodyFrames = Math.ceil(body.length / Math.max(1, most));
  const bytes = Buffer.allocUnsafe(writer.offset + body.length + bodyFrames * FRAME_BYTES);
  bytes.set(writer.buffer.subarray(0, writer.offset));
  let offset = writer.offset;
  for (let start = 0; start < body.length; start += most) {
    offset = putBody(bytes, offset, channel, body, start, Math.min(start + most, body.length));
  }
  return bytes;
}

function frame(type: number, channel: number, write: () => void): void {
  writer.uint8(type);
  writer.uint16(channel);
  writer.sized(write);
  writer.uint8(FRAME_END);
}

function writeMethod(queue: string): void {
  writer.uint16(BASIC);
  writer.uint16(PUBLISH);
  writer.uint16(0); // ticket, of a time before 0-9-1
  writer.uint8(0); // the default exchange
  writer.shortString(queue, 'the queue');
  writer.uint8(MANDATORY);
}

function writeHeader({ properties, headers, body }: OutgoingCopy, token: string): void {
  writer.uint16(BASIC);
  writer.uint16(0); // weight
  writer.uint64(body.length);
  const flagsAt = writer.offset;
  let flags = FLAGS.headers | FLAGS.deliveryMode;
  writer.uint16(0);
  const text = (flag: number, field: string, value: string | undefined): void => {
    if (value === undefined) return;
    flags |= flag;
    writer.shortString(value, field);
  };
  text(FLAGS.contentType, 'contentType', properties.contentType);
  text(FLAGS.contentEncoding, 'contentEncoding', properties.contentEncoding);
  writer.sized(() => {
    const from = writer.offset;
    writer.entries(headers);
    writer.shortString(HEADERS.publishToken, 'a header name');
    writer.value(token);
    if (writer.offset - from > HEADERS_LIMIT_BYTES - 4) {
      throw new RangeError(`more than ${HEADERS_LIMIT_BYTES} bytes of headers`);
    }
  });
  writer.uint8(PERSISTENT);
  if (properties.priority !== undefined) {
    flags |= FLAGS.priority;
    writer.uint8(byte(properties.priority));
  }
  text(FLAGS.correlationId, 'correlationId', properties.correlationId);
  text(FLAGS.replyTo, 'replyTo', properties.replyTo);
  text(FLAGS.messageId, 'messageId', properties.messageId);
  if (properties.timestampSeconds !== undefined) {
    flags |= FLAGS.timestamp;
    writer.uint64(properties.timestampSeconds);
  }
  text(FLAGS.type, 'type', properties.type);
  text(FLAGS.appId, 'appId', properties.appId);
  writer.buffer.writeUInt16BE(flags, flagsAt);
}

function byte(priority: number): number {
  if (Number.isInteger(priority) && priority >= 0 && priority <= 255) return priority;
  throw new TypeError(`priority must be a whole number from 0 to 255, got ${priority}`);
}

function putBody(
  into: Buffer,
  at: number,
  channel: number,
  body: Buffer,
  start: number,
  end: number,
): number {
  into[at] = BODY;
  into.writeUInt16BE(channel, at + 1);
  into.writeUInt32BE(end - start, at + 3);
  body.copy(into, at + FRAME_HEAD_BYTES, start, end);
  const endAt = at + FRAME_HEAD_BYTES + end - start;
  into[endAt] = FRAME_END;
  return endAt + 1;
}
