import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import { crc32 } from 'node:zlib';
import { HEADERS } from '../message/headers.ts';
import { NESTING_LIMIT } from '../message/limits.ts';

/** Kept of the hash: 96 bits, far beyond collisions among the messages of one queue. */
const HASH_CHARS = 16;
const MARK_CHARS = 8;
/** Of every fingerprint, so that many can be stored as one text. */
export const FINGERPRINT_CHARS = MARK_CHARS + HASH_CHARS;

/** What is read of an AMQP delivery. */
export interface Fingerprinted {
  readonly content: Buffer;
  readonly properties: {
    readonly messageId?: unknown;
    readonly correlationId?: unknown;
    readonly type?: unknown;
    readonly headers?: Readonly<Record<string, unknown>> | undefined;
  };
}

/**
 * The first characters of a message's fingerprint, from its ids alone. A scan takes it of every message
 * and the whole only of those that may matter: where no known fingerprint begins so, nothing is known of
 * the message. 8 hexadecimal digits.
 */
export function markOf({ properties }: Pick<Fingerprinted, 'properties'>): string {
  const ids = `${text(properties.messageId)}\0${text(properties.headers?.[HEADERS.publishToken])}`;
  return crc32(ids).toString(16).padStart(MARK_CHARS, '0');
}

/** The mark a fingerprint begins with. */
export function markIn(fingerprint: string): string {
  return fingerprint.slice(0, MARK_CHARS);
}

/**
 * Identity of a parked message's content: its mark, and a hash of all that makes it what it is. Nothing
 * in it changes when the broker delivers the message again; a message that was replayed and failed
 * again has another one, since its times, counts and publish token differ. {@link FINGERPRINT_CHARS}
 * characters, URL-safe.
 */
export function fingerprintOf(delivery: Fingerprinted, mark = markOf(delivery)): string {
  const { content, properties } = delivery;
  const headers = properties.headers ?? {};
  const parts = [
    properties.messageId,
    properties.correlationId,
    properties.type,
    // Unique to each copy of ours, so for those the rest only guards against tampering.
    headers[HEADERS.publishToken],
    headers[HEADERS.failureLastAt],
    headers[HEADERS.replayCount],
    hash('sha1', content, 'base64url'),
  ];
  return mark + hash('sha256', parts.map(text).join('\0'), 'base64url').slice(0, HASH_CHARS);
}

/** Total: where a text is expected a stranger may send a table, whose own `toString` is but a value. */
function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? inspect(value, WHOLE) : String(value);
}

/** Never throws, whatever a table is called or holds; the same for the same bytes of the wire. */
const WHOLE = {
  depth: NESTING_LIMIT,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Number.POSITIVE_INFINITY,
  customInspect: false,
};
