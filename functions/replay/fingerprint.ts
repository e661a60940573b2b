import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import { HEADERS } from '../message/headers.ts';
import { NESTING_LIMIT } from '../message/limits.ts';

/** Bytes kept of the hash: 96 bits, far beyond collisions among the messages of one queue. */
const FINGERPRINT_CHARS = 16;

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
 * Identity of a parked message's content, cheap enough to take of every message of a scan. Nothing
 * in it changes when the broker delivers the message again; a message that was replayed and failed
 * again has another one, since its times, counts and publish token differ. 16 characters of base64url.
 */
export function fingerprintOf({ content, properties }: Fingerprinted): string {
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
  return hash('sha256', parts.map(text).join('\0'), 'base64url').slice(0, FINGERPRINT_CHARS);
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
