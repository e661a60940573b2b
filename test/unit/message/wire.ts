/**
 * AMQP 0-9-1 field tables as they are on the wire, with every type tag visible: what amqplib's own
 * decoder hides. Also dumps them as the JSON of the Lambda event.
 */

export type WireValue =
  | { readonly tag: 't'; readonly value: boolean }
  | { readonly tag: 'b' | 's' | 'I' | 'i' | 'l' | 'T'; readonly value: bigint }
  | { readonly tag: 'f' | 'd'; readonly value: number }
  | { readonly tag: 'D'; readonly places: number; readonly digits: number }
  | { readonly tag: 'S' | 'x'; readonly value: Buffer }
  | { readonly tag: 'A'; readonly value: readonly WireValue[] }
  | { readonly tag: 'F'; readonly value: WireTable }
  | { readonly tag: 'V' };

export type WireTable = readonly (readonly [string, WireValue])[];

/** Reads an encoded table, its length included. */
export function decodeWire(buffer: Buffer): WireTable {
  return readTable(new Reader(buffer));
}

class Reader {
  offset = 0;
  readonly buffer: Buffer;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  take(bytes: number): Buffer {
    const slice = this.buffer.subarray(this.offset, this.offset + bytes);
    if (slice.length !== bytes) throw new RangeError('the frame ends inside a value');
    this.offset += bytes;
    return slice;
  }
}

function readTable(reader: Reader): WireTable {
  const end = reader.take(4).readUInt32BE() + reader.offset;
  const entries: (readonly [string, WireValue])[] = [];
  while (reader.offset < end) {
    const key = reader.take(reader.take(1).readUInt8()).toString('utf8');
    entries.push([key, readValue(reader)]);
  }
  if (reader.offset !== end) throw new RangeError('a table is longer than it says');
  return entries;
}

function readValue(reader: Reader): WireValue {
  const tag = reader.take(1).toString('latin1');
  switch (tag) {
    case 't':
      return { tag, value: reader.take(1).readUInt8() !== 0 };
    case 'b':
      return { tag, value: BigInt(reader.take(1).readInt8()) };
    case 's':
      return { tag, value: BigInt(reader.take(2).readInt16BE()) };
    case 'I':
      return { tag, value: BigInt(reader.take(4).readInt32BE()) };
    case 'i':
      return { tag, value: BigInt(reader.take(4).readUInt32BE()) };
    case 'l':
      return { tag, value: reader.take(8).readBigInt64BE() };
    case 'T':
      return { tag, value: reader.take(8).readBigUInt64BE() };
    case 'f':
      return { tag, value: reader.take(4).readFloatBE() };
    case 'd':
      return { tag, value: reader.take(8).readDoubleBE() };
    case 'D':
      return { tag, places: reader.take(1).readUInt8(), digits: reader.take(4).readUInt32BE() };
    case 'S':
    case 'x':
      return { tag, value: Buffer.from(reader.take(reader.take(4).readUInt32BE())) };
    case 'A': {
      const end = reader.take(4).readUInt32BE() + reader.offset;
      const items: WireValue[] = [];
      while (reader.offset < end) items.push(readValue(reader));
      return { tag, value: items };
    }
    case 'F':
      return { tag, value: readTable(reader) };
    case 'V':
      return { tag };
    default:
      throw new TypeError(`unknown tag ${tag}`);
  }
}

/** Encodes a table, its length included. */
export function encodeWire(table: WireTable): Buffer {
  const entries = table.map(([key, value]) => {
    const name = Buffer.from(key);
    return Buffer.concat([Buffer.from([name.length]), name, writeValue(value)]);
  });
  return withLength(Buffer.concat(entries));
}

function writeValue(value: WireValue): Buffer {
  return Buffer.concat([Buffer.from(value.tag, 'latin1'), payload(value)]);
}

function payload(value: WireValue): Buffer {
  switch (value.tag) {
    case 't':
      return Buffer.from([value.value ? 1 : 0]);
    case 'b':
      return sized(1, (buffer) => buffer.writeInt8(Number(value.value)));
    case 's':
      return sized(2, (buffer) => buffer.writeInt16BE(Number(value.value)));
    case 'I':
      return sized(4, (buffer) => buffer.writeInt32BE(Number(value.value)));
    case 'i':
      return sized(4, (buffer) => buffer.writeUInt32BE(Number(value.value)));
    case 'l':
      return sized(8, (buffer) => buffer.writeBigInt64BE(value.value));
    case 'T':
      return sized(8, (buffer) => buffer.writeBigUInt64BE(value.value));
    case 'f':
      return sized(4, (buffer) => buffer.writeFloatBE(value.value));
    case 'd':
      return sized(8, (buffer) => buffer.writeDoubleBE(value.value));
    case 'D':
      return sized(5, (buffer) => {
        buffer.writeUInt8(value.places);
        buffer.writeUInt32BE(value.digits, 1);
      });
    case 'S':
    case 'x':
      return withLength(value.value);
    case 'A':
      return withLength(Buffer.concat(value.value.map(writeValue)));
    case 'F':
      return encodeWire(value.value);
    case 'V':
      return Buffer.alloc(0);
    default:
      return value satisfies never;
  }
}

function sized(bytes: number, write: (buffer: Buffer) => unknown): Buffer {
  const buffer = Buffer.alloc(bytes);
  write(buffer);
  return buffer;
}

function withLength(content: Buffer): Buffer {
  return Buffer.concat([sized(4, (buffer) => buffer.writeUInt32BE(content.length)), content]);
}

/** The table as JSON text, the way the JVM dumps the RabbitMQ Java client's headers. */
export function jvmJson(table: WireTable): string {
  return `{${table.map(([key, value]) => `${JSON.stringify(key)}:${jvmValue(value)}`).join(',')}}`;
}

function jvmValue(value: WireValue): string {
  switch (value.tag) {
    case 't':
    case 'b':
    case 's':
    case 'I':
    case 'i':
    case 'l':
      return String(value.value);
    case 'f':
    case 'd':
      return Object.is(value.value, -0) ? '-0.0' : String(value.value);
    case 'D':
      return String(value.digits / 10 ** value.places);
    case 'S':
      return `{"bytes":${signedBytes(value.value)}}`;
    case 'x':
      return signedBytes(value.value);
    case 'T':
      return JSON.stringify(jvmDate(Number(value.value)));
    case 'A':
      return `[${value.value.map(jvmValue).join(',')}]`;
    case 'F':
      return jvmJson(value.value);
    case 'V':
      return 'null';
    default:
      return value satisfies never;
  }
}

function signedBytes(bytes: Buffer): string {
  return `[${[...new Int8Array(bytes)].join(',')}]`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `Jul 2, 2023, 1:30:34 AM`, always UTC, with the given space before AM or PM. */
export function jvmDate(seconds: number, space = '\u202f'): string {
  const date = new Date(seconds * 1000);
  const hour = date.getUTCHours();
  const two = (value: number) => String(value).padStart(2, '0');
  const time = `${hour % 12 || 12}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  const day = `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
  return `${day}, ${time}${space}${hour < 12 ? 'AM' : 'PM'}`;
}
