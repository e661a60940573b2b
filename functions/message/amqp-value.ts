import { NESTING_LIMIT, SHORT_STRING_LIMIT_BYTES } from './limits.ts';
import type { HeaderTable, HeaderValue, TypedValue } from './types.ts';

const INT_MIN = -0x80000000;
const INT_MAX = 0x7fffffff;
const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/** A table without a prototype, so that `__proto__` is a key like any other. */
export function emptyTable(): Record<string, HeaderValue> {
  return Object.create(null);
}

/**
 * True for a value whose wire type is stated. A *table* of a sender's may have a key `!` as well:
 * tables never have a prototype, typed values always do, and that tells them apart.
 */
export function isTypedValue(value: HeaderValue): value is TypedValue {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) !== null &&
    Object.hasOwn(value, '!')
  );
}

/** True for a header table, and for nothing else that is an object. */
export function isTable(value: HeaderValue | undefined): value is HeaderTable {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array) &&
    !isTypedValue(value)
  );
}

/**
 * The value in the form amqplib encodes, with its type stated where amqplib would guess: it picks the
 * smallest integer type that fits, and a reader in another language would find a byte where it wrote
 * a long. Integers become `int`, beyond 32 bits `long`; all other numbers `double`.
 */
export function toAmqp(value: HeaderValue): HeaderValue {
  if (typeof value === 'number') return typedNumber(value);
  if (typeof value === 'bigint') return { '!': 'long', value };
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) {
    // amqplib knows Buffers only: it would send a plain Uint8Array as a table of its indices.
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  if (Array.isArray(value)) return value.map(toAmqp);
  if (isTypedValue(value)) return value;
  return toAmqpTable(value as HeaderTable);
}

/** A nested table in the form amqplib encodes; see {@link toAmqp}. */
export function toAmqpTable(table: HeaderTable): HeaderTable {
  const marker = table['!'];
  // amqplib reads an *own* key `!` as the name of a wire type, and sends inherited keys as own ones.
  // So a sender's key of that name is handed over as an inherited one.
  const safe: Record<string, HeaderValue> =
    marker === undefined
      ? emptyTable()
      : Object.create(Object.assign(emptyTable(), { '!': toAmqp(marker) }));
  for (const [key, value] of Object.entries(table)) {
    if (key !== '!') safe[key] = toAmqp(value);
  }
  return safe;
}

function typedNumber(value: number): TypedValue {
  if (!Number.isInteger(value) || Object.is(value, -0)) return { '!': 'double', value };
  if (value >= INT_MIN && value <= INT_MAX) return { '!': 'int', value };
  // Long.MAX_VALUE has already become 2^63 when JSON was parsed; there is no other way to write it.
  if (value === 2 ** 63) return { '!': 'long', value: LONG_MAX };
  const integer = BigInt(value);
  return integer >= LONG_MIN && integer <= LONG_MAX
    ? { '!': 'long', value: integer }
    : { '!': 'double', value };
}

/**
 * Bytes of one table entry on the wire: name, type tag and value.
 *
 * @returns NaN when the value has no encoding; see {@link encodedBytes}.
 */
export function entryBytes(name: string, value: HeaderValue): number {
  return 1 + Buffer.byteLength(name) + encodedBytes(value);
}

/**
 * Bytes of a value on the wire, its type tag included, as amqplib encodes what {@link toAmqp} made.
 *
 * @returns NaN when it can't be encoded: a nested name over 255 bytes, an integer over 64 bits, an
 * unknown type, or nesting beyond what the decoders let through.
 */
export function encodedBytes(value: HeaderValue, depth = 0): number {
  if (depth > NESTING_LIMIT) return Number.NaN;
  if (value === null) return 1;
  if (typeof value === 'boolean') return 2;
  if (typeof value === 'string') return 5 + Buffer.byteLength(value);
  if (typeof value !== 'object') return Number.NaN;
  if (value instanceof Uint8Array) return 5 + value.byteLength;
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + encodedBytes(item, depth + 1), 5);
  }
  if (isTypedValue(value)) return typedBytes(value);
  let sum = 5;
  const table = value as HeaderTable;
  // Inherited keys too: that is how a key `!` is handed over.
  for (const key in table) {
    const name = Buffer.byteLength(key);
    const item = table[key];
    if (name > SHORT_STRING_LIMIT_BYTES || item === undefined) return Number.NaN;
    sum += 1 + name + encodedBytes(item, depth + 1);
  }
  return sum;
}

function typedBytes({ '!': type, value }: TypedValue): number {
  switch (type) {
    case 'int':
      return inRange(value, BigInt(INT_MIN), BigInt(INT_MAX)) ? 5 : Number.NaN;
    case 'long':
      return inRange(value, LONG_MIN, LONG_MAX) ? 9 : Number.NaN;
    case 'timestamp':
      return inRange(value, 0n, 2n ** 64n - 1n) ? 9 : Number.NaN;
    case 'double':
      return typeof value === 'number' ? 9 : Number.NaN;
    case 'float':
      return typeof value === 'number' ? 5 : Number.NaN;
    case 'decimal':
      return typeof value === 'object' &&
        inRange(value.places, 0n, 255n) &&
        inRange(value.digits, 0n, 2n ** 32n - 1n)
        ? 6
        : Number.NaN;
    default:
      // A marker no type knows: a table with a prototype that nobody of the house made.
      return Number.NaN;
  }
}

function inRange(value: TypedValue['value'], min: bigint, max: bigint): boolean {
  if (typeof value === 'bigint') return value >= min && value <= max;
  return (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    BigInt(value) >= min &&
    BigInt(value) <= max
  );
}
