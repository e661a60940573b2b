import fc from 'fast-check';
import type { WireTable, WireValue } from './wire.ts';

/**
 * Field tables as strangers send them: every AMQP type, nested, with the names that have hurt others
 * (`__proto__`, `!`, `bytes`, our own and the broker's).
 */

const NASTY_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '!',
  'value',
  'bytes',
  'length',
  '',
  'é',
  '0',
] as const;

const RESERVED_NAMES = [
  'x-retry-count',
  'x-retry-not-before',
  'x-failure-class',
  'x-failure-labels',
  'x-failure-first-at',
  'x-failure-suspect',
  'x-origin-queue',
  'x-origin-bytes',
  'x-origin-deadline',
  'x-replay-count',
  'x-layover-publish',
  'x-death',
  'x-first-death-queue',
  'x-last-death-reason',
  'x-delivery-count',
  'x-acquired-count',
  'CC',
  'BCC',
] as const;

const integer = (tag: 'b' | 's' | 'I' | 'i' | 'l' | 'T', min: bigint, max: bigint) =>
  fc.bigInt({ min, max }).map((value): WireValue => ({ tag, value }));

const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array));

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom('2', '-1', 'NaN', '7abc', '2026-03-01T10:00:00.000Z', 'Jul 2, 2023, 1:30:34 AM'),
);

const longText = text.map((value): WireValue => ({ tag: 'S', value: Buffer.from(value) }));

const scalar: fc.Arbitrary<WireValue> = fc.oneof(
  { weight: 4, arbitrary: longText },
  bytes.map((value): WireValue => ({ tag: 'S', value })),
  bytes.map((value): WireValue => ({ tag: 'x', value })),
  fc.boolean().map((value): WireValue => ({ tag: 't', value })),
  integer('b', -128n, 127n),
  integer('s', -32_768n, 32_767n),
  integer('I', -(2n ** 31n), 2n ** 31n - 1n),
  integer('i', 0n, 2n ** 32n - 1n),
  integer('l', -(2n ** 63n), 2n ** 63n - 1n),
  integer('T', 0n, 253_402_300_799n),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((value): WireValue => ({ tag: 'd', value })),
  fc
    .float({ noNaN: true, noDefaultInfinity: true })
    .map((value): WireValue => ({ tag: 'f', value })),
  fc
    .record({ places: fc.nat(9), digits: fc.nat(2 ** 31 - 1) })
    .map((decimal): WireValue => ({ tag: 'D', ...decimal })),
  fc.constant<WireValue>({ tag: 'V' }),
);

/**
 * Without backslashes: the JSON.parse of Node.js 24 that reads the event takes a key `"`, escaped, for a
 * key `\` that it met at the same place of an object before: parse `{" ":1,"\\":1}`, then `{" ":1,"\"":1}`.
 */
const nestedName = fc.oneof(
  fc.string({ maxLength: 5 }).filter((name) => !name.includes('\\')),
  fc.constantFrom<string>(...NASTY_NAMES),
);

function tableOf(name: fc.Arbitrary<string>, value: fc.Arbitrary<WireValue>, maxLength: number) {
  return fc.uniqueArray(fc.tuple(name, value), {
    maxLength,
    selector: ([key]) => key,
  }) as fc.Arbitrary<WireTable>;
}

const { value: nested } = fc.letrec<{ value: WireValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }).map((value): WireValue => ({ tag: 'A', value })),
    tableOf(nestedName, tie('value'), 4).map((value): WireValue => ({ tag: 'F', value })),
  ),
}));

/** Headers a sender owns: any names but the reserved ones. */
export const senderTable: fc.Arbitrary<WireTable> = tableOf(
  fc
    .oneof(nestedName, fc.constantFrom('x-tenant', 'traceparent', 'x-origin-country'))
    // Two letters are soon `CC`.
    .filter((name) => !RESERVED_NAMES.some((reserved) => reserved === name)),
  nested,
  6,
);

/** Headers of a stranger who may forge everything. */
export const strangerTable: fc.Arbitrary<WireTable> = tableOf(
  fc.oneof(nestedName, fc.constantFrom<string>(...RESERVED_NAMES)),
  nested,
  10,
);

/**
 * What a value becomes on a copy when it came through the event: the type stays as far as the
 * event still tells.
 */
export function afterEvent(value: WireValue): WireValue {
  switch (value.tag) {
    case 'b':
    case 's':
    case 'I':
    case 'i':
    case 'l':
      return numberOnCopy(Number(value.value));
    case 'f':
    case 'd':
      return numberOnCopy(value.value);
    case 'D':
      return numberOnCopy(value.digits / 10 ** value.places);
    case 'S':
      return isText(value.value) ? value : { tag: 'x', value: value.value };
    case 'x':
      return { tag: 'A', value: [...new Int8Array(value.value)].map(numberOnCopy) };
    case 'A':
      return { tag: 'A', value: value.value.map(afterEvent) };
    case 'F':
      return afterEventTable(value.value);
    case 't':
    case 'T':
    case 'V':
      return value;
    default:
      return value satisfies never;
  }
}

function afterEventTable(table: WireTable): WireValue {
  const [first] = table;
  if (table.length === 1 && first !== undefined && first[0] === 'bytes') {
    const list = byteList(first[1]);
    // The event shows this table exactly as it shows a long string.
    if (list !== undefined) return afterEvent({ tag: 'S', value: Buffer.from(list) });
  }
  return { tag: 'F', value: table.map(([key, value]) => [key, afterEvent(value)] as const) };
}

function byteList(value: WireValue): number[] | undefined {
  if (value.tag === 'x') return [...value.value];
  if (value.tag !== 'A') return undefined;
  const numbers = value.value.map(plainNumber);
  return numbers.every((n) => n !== undefined && Number.isInteger(n) && n >= -128 && n <= 255)
    ? (numbers as number[])
    : undefined;
}

function plainNumber(value: WireValue): number | undefined {
  switch (value.tag) {
    case 'b':
    case 's':
    case 'I':
    case 'i':
    case 'l':
      return Number(value.value);
    case 'f':
    case 'd':
      return value.value;
    case 'D':
      return value.digits / 10 ** value.places;
    default:
      return undefined;
  }
}

function numberOnCopy(value: number): WireValue {
  if (!Number.isInteger(value) || Object.is(value, -0)) return { tag: 'd', value };
  if (value >= -(2 ** 31) && value < 2 ** 31) return { tag: 'I', value: BigInt(value) };
  if (value === 2 ** 63) return { tag: 'l', value: 2n ** 63n - 1n };
  return value >= -(2 ** 63) && value < 2 ** 63
    ? { tag: 'l', value: BigInt(value) }
    : { tag: 'd', value };
}

function isText(value: Buffer): boolean {
  return Buffer.from(value.toString('utf8')).equals(value);
}
