import { isUint8Array } from 'node:util/types';
import { emptyTable } from './amqp-value.ts';
import { decodeProperties } from './decode-properties.ts';
import { readState } from './read-state.ts';
import type { HeaderTable, HeaderValue, Message, TypedValue } from './types.ts';

const PROTO = '__proto__';

/** What is read of amqplib's `ConsumeMessage` or `GetMessage`. */
export interface AmqpDelivery {
  readonly content: Buffer;
  readonly fields: { readonly redelivered: boolean };
  readonly properties: object;
}

/**
 * The same message as `decodeEvent` gives, from an AMQP delivery: for readers of parking queues.
 *
 * What amqplib's decoder loses can't be had back: 64-bit integers beyond 2^53, bytes of a long string
 * that are no UTF-8. A header named `__proto__` is recovered when its value is a table or a list.
 */
export function decodeDelivery(delivery: AmqpDelivery, queue: string, vhost: string): Message {
  const source = delivery.properties as Readonly<Record<string, unknown>>;
  const headers = readState(decodeAmqplibTable(source.headers));
  return {
    queue,
    vhost,
    properties: decodeProperties(source, []),
    headers: headers.senderHeaders,
    body: delivery.content,
    redelivered: delivery.fields.redelivered,
    ...(headers.deliveryCount === undefined ? {} : { deliveryCount: headers.deliveryCount }),
    ...(headers.acquiredCount === undefined ? {} : { acquiredCount: headers.acquiredCount }),
    deaths: headers.deaths,
    state: headers.state,
  };
}

/** A header table as amqplib decodes it, as a table without a prototype. */
export function decodeAmqplibTable(fields: unknown): HeaderTable {
  const table = emptyTable();
  if (typeof fields !== 'object' || fields === null) return table;
  for (const [key, value] of Object.entries(fields)) table[key] = decodeValue(value);
  // amqplib assigns each key to a plain object, so a header `__proto__` with a table for a value has
  // become the prototype of all others. It is a key again here, and nothing is inherited.
  const prototype: object | null = Object.getPrototypeOf(fields);
  if (prototype !== null && !isObjectPrototype(prototype)) {
    table[PROTO] = decodeValue(prototype);
  }
  return table;
}

function decodeValue(value: unknown): HeaderValue {
  switch (typeof value) {
    case 'boolean':
    case 'number':
    case 'bigint':
    case 'string':
      return value;
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null) return null;
  // Copied: it is a view of the frame it came in, which would stay in memory with it. `instanceof`
  // would also hold for a table whose prototype a header `__proto__` made a Buffer.
  if (isUint8Array(value)) return Buffer.from(value);
  if (Array.isArray(value)) return value.map(decodeValue);
  return isTyped(value) ? value : decodeAmqplibTable(value);
}

/**
 * amqplib gives timestamps and decimals as `{ '!': type, value }`. A sender's table with exactly these
 * keys and a fitting value can't be told from one; any other table with a key `!` stays a table.
 */
function isTyped(value: object): value is TypedValue {
  if (!Object.hasOwn(value, '!') || Object.keys(value).length !== 2) return false;
  const { '!': type, value: inner } = value as { '!': unknown; value: unknown };
  if (type === 'timestamp') return Number.isSafeInteger(inner) && Number(inner) >= 0;
  if (type !== 'decimal' || typeof inner !== 'object' || inner === null) return false;
  const { places, digits } = inner as { places: unknown; digits: unknown };
  return Number.isInteger(places) && Number.isInteger(digits);
}

/** True for the `Object.prototype` of any realm: AMQP has no functions, so none can be forged. */
function isObjectPrototype(value: object): boolean {
  return (
    Object.getPrototypeOf(value) === null &&
    Object.hasOwn(value, 'constructor') &&
    typeof value.constructor === 'function'
  );
}
