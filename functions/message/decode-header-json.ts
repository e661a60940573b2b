import { isUtf8 } from 'node:buffer';
import { emptyTable } from './amqp-value.ts';
import { parseJvmDate } from './jvm-date.ts';
import { NESTING_LIMIT } from './limits.ts';
import type { HeaderTable, HeaderValue } from './types.ts';

class TooDeep extends Error {}

/** A decoded header table, and the names of headers that had to be left out of it. */
export interface DecodedHeaders {
  readonly headers: HeaderTable;
  /** Headers nested deeper than {@link NESTING_LIMIT}; nothing else is ever left out. */
  readonly tooDeep: readonly string[];
}

/**
 * Decodes the `headers` object of the Lambda event (`RabbitMqHeaders`).
 *
 * - `{ bytes: [signed bytes] }` → string, or `Uint8Array` when the bytes are no UTF-8
 * - bare text that reads as the JVM's date → `timestamp`; other bare text stays text
 * - lists stay lists: a byte array can't be told from an array of small integers
 * - an object whose `bytes` isn't a list of bytes, or that has other keys too, is a table
 *
 * Never throws. Tables have no prototype, so a key `__proto__` is only a key.
 */
export function decodeHeaderJson(json: object): DecodedHeaders {
  const headers = emptyTable();
  const tooDeep: string[] = [];
  for (const [name, value] of Object.entries(json)) {
    try {
      headers[name] = decodeValue(value, 0);
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error;
      tooDeep.push(name);
    }
  }
  return { headers, tooDeep };
}

function decodeValue(json: unknown, depth: number): HeaderValue {
  if (depth > NESTING_LIMIT) throw new TooDeep(`nested deeper than ${NESTING_LIMIT} levels`);
  switch (typeof json) {
    case 'boolean':
    case 'number':
    case 'bigint':
      return json;
    case 'string':
      return decodeText(json);
    case 'object':
      break;
    default:
      return null;
  }
  if (json === null) return null;
  if (Array.isArray(json)) return json.map((item) => decodeValue(item, depth + 1));
  const bytes = longStringBytes(json);
  if (bytes !== undefined) return isUtf8(bytes) ? bytes.toString('utf8') : bytes;
  const table = emptyTable();
  for (const [key, value] of Object.entries(json)) table[key] = decodeValue(value, depth + 1);
  return table;
}

function decodeText(text: string): HeaderValue {
  const seconds = parseJvmDate(text);
  return seconds === undefined ? text : { '!': 'timestamp', value: seconds };
}

function longStringBytes(json: object): Buffer | undefined {
  if (!Object.hasOwn(json, 'bytes') || Object.keys(json).length !== 1) return undefined;
  const list = (json as { bytes: unknown }).bytes;
  return isByteList(list) ? Buffer.from(list) : undefined;
}

/** True for a list of signed or unsigned bytes. `Buffer.from` wraps the signed ones. */
export function isByteList(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.every((item) => Number.isInteger(item) && item >= -128 && item <= 255)
  );
}
