import { emptyTable, entryBytes, toAmqp } from './amqp-value.ts';
import { bytePathsText } from './byte-headers.ts';
import { CopyError, type CopyErrorCode } from './errors.ts';
import { isBrokerHeader, isOwnHeader } from './headers.ts';
import {
  HEADERS_LIMIT_BYTES,
  NESTING_LIMIT,
  OWN_BLOCK_LIMIT_BYTES,
  SHORT_STRING_LIMIT_BYTES,
} from './limits.ts';
import type { HeaderTable, Message, OutgoingCopy } from './types.ts';
import { type WritableState, writeState } from './write-state.ts';

/** What to do with a header or property that can't be sent on. */
export interface CopyOptions {
  /**
   * `throw` a {@link CopyError}, or `drop` it and say so in `x-origin-dropped`.
   * @default 'throw'
   */
  readonly unsendable?: 'throw' | 'drop';
}

/** What a copy is made of, besides the message itself. */
export interface OutgoingParts {
  readonly queue: string;
  readonly state: WritableState;
  /** The sender's headers to carry on. */
  readonly senderHeaders: HeaderTable;
  readonly messageIdIfMissing: string;
}

interface Unsendable {
  readonly code: CopyErrorCode;
  readonly field: string;
  readonly bytes: number;
}

/** The sender's headers together: what one publish carries, less our own block and the table's length. */
const SENDER_LIMIT_BYTES = HEADERS_LIMIT_BYTES - OWN_BLOCK_LIMIT_BYTES - 4;

/**
 * Puts a copy together: kept properties, the sender's headers retyped, our own block written.
 *
 * @throws CopyError when something of the sender's can't be sent on and `unsendable` is `throw`
 */
export function outgoing(
  message: Message,
  parts: OutgoingParts,
  { unsendable = 'throw' }: CopyOptions,
): OutgoingCopy {
  const { headers, carried, refused } = sendable(parts.senderHeaders);
  const properties = keptProperties(message, parts.messageIdIfMissing, refused);
  if (unsendable === 'throw' && refused[0] !== undefined) throw toError(refused[0]);
  writeState(withDropped(parts.state, refused), bytePathsText(carried), headers);
  return { queue: parts.queue, body: message.body, properties, headers };
}

function sendable(senderHeaders: HeaderTable) {
  const headers = emptyTable();
  // The same as decoded: in the encoded form a key `!` is inherited, so it has no path of its own.
  const carried = emptyTable();
  const refused: Unsendable[] = [];
  const sizes = new Map<string, number>();
  for (const [name, value] of Object.entries(senderHeaders)) {
    // A message built by hand may still have them; only writeState writes ours.
    if (isOwnHeader(name) || isBrokerHeader(name)) continue;
    const encoded = toAmqp(value);
    const nameBytes = Buffer.byteLength(name);
    const bytes = entryBytes(name, encoded);
    if (nameBytes > SHORT_STRING_LIMIT_BYTES) {
      refused.push({ code: 'HEADER_NAME_TOO_LONG', field: name, bytes: nameBytes });
    } else if (Number.isNaN(bytes)) {
      refused.push({ code: 'HEADER_NOT_ENCODABLE', field: name, bytes: 0 });
    } else {
      headers[name] = encoded;
      carried[name] = value;
      sizes.set(name, bytes);
    }
  }
  for (const large of tooLarge(sizes)) {
    delete headers[large.field];
    delete carried[large.field];
    refused.push(large);
  }
  return { headers, carried, refused };
}

/** The largest headers, as many as must go for the rest to fit; usually none. */
function tooLarge(sizes: ReadonlyMap<string, number>): Unsendable[] {
  const refused: Unsendable[] = [];
  let total = 0;
  for (const bytes of sizes.values()) total += bytes;
  if (total <= SENDER_LIMIT_BYTES) return refused;
  for (const [field, bytes] of [...sizes].sort(([, a], [, b]) => b - a)) {
    if (total <= SENDER_LIMIT_BYTES) break;
    total -= bytes;
    refused.push({ code: 'HEADERS_TOO_LARGE', field, bytes });
  }
  return refused;
}

const KEPT_PROPERTIES = [
  'contentType',
  'contentEncoding',
  'priority',
  'correlationId',
  'replyTo',
  'messageId',
  'timestampSeconds',
  'type',
  'appId',
] as const satisfies readonly (keyof OutgoingCopy['properties'])[];

function keptProperties(
  { properties }: Message,
  messageIdIfMissing: string,
  refused: Unsendable[],
): OutgoingCopy['properties'] {
  const kept: Record<string, unknown> = { messageId: messageIdIfMissing };
  for (const field of KEPT_PROPERTIES) {
    const value = properties[field];
    if (value === undefined) continue;
    const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0;
    if (bytes > SHORT_STRING_LIMIT_BYTES) refused.push({ code: 'PROPERTY_TOO_LONG', field, bytes });
    else kept[field] = value;
  }
  return kept;
}

function withDropped(state: WritableState, refused: readonly Unsendable[]): WritableState {
  if (refused.length === 0) return state;
  const before = state.origin.dropped === undefined ? [] : [state.origin.dropped];
  const dropped = [...before, ...refused.map(({ field, bytes }) => `${field}:${bytes}`)].join(', ');
  return { ...state, origin: { ...state.origin, dropped } };
}

function toError({ code, field, bytes }: Unsendable): CopyError {
  return new CopyError(
    code,
    field,
    bytes,
    `${explained(code, field, bytes)} The message can only be copied without it.`,
  );
}

function explained(code: CopyErrorCode, field: string, bytes: number): string {
  switch (code) {
    case 'HEADER_NAME_TOO_LONG':
      return `The name of header "${field.slice(0, 60)}…" is ${bytes} bytes; AMQP allows ${SHORT_STRING_LIMIT_BYTES}.`;
    case 'HEADER_NOT_ENCODABLE':
      return `Header "${field}" has a value AMQP can't carry: an integer over 64 bits, a nested name over ${SHORT_STRING_LIMIT_BYTES} bytes, more than ${NESTING_LIMIT} levels, or an unknown type.`;
    case 'HEADERS_TOO_LARGE':
      return `The sender's headers are over ${SENDER_LIMIT_BYTES} bytes in all; the largest, "${field}", is ${bytes} bytes.`;
    case 'PROPERTY_TOO_LONG':
      return `Property ${field} is ${bytes} bytes; AMQP allows ${SHORT_STRING_LIMIT_BYTES}.`;
    default:
      return code satisfies never;
  }
}
