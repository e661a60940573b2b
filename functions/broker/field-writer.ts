import { isTypedValue, toAmqp } from '../message/amqp-value.ts';
import { SHORT_STRING_LIMIT_BYTES } from '../message/limits.ts';
import type { HeaderTable, HeaderValue, TypedValue } from '../message/types.ts';

/** Longer texts are given to Node, whose call costs more than this many turns of a loop. */
const LOOP_LIMIT = 64;

/**
 * Writes AMQP 0-9-1 fields one after another into a buffer of fixed size: big-endian integers, short
 * strings, and tables with RabbitMQ's field types (its "errata", not those of the specification).
 */
export class FieldWriter {
  readonly buffer: Buffer;
  /** Where the next field goes. */
  offset = 0;

  constructor(sizeBytes: number) {
    this.buffer = Buffer.allocUnsafeSlow(sizeBytes);
  }

  uint8(value: number): void {
    this.#need(1);
    this.buffer[this.offset++] = value;
  }

  uint16(value: number): void {
    this.#need(2);
    this.buffer[this.offset++] = value >>> 8;
    this.buffer[this.offset++] = value;
  }

  uint32(value: number): void {
    this.#need(4);
    this.offset = this.#put32(value, this.offset);
  }

  /** @throws RangeError beyond 64 bits or below 0 */
  uint64(value: number | bigint): void {
    this.#need(8);
    this.offset = this.buffer.writeBigUInt64BE(BigInt(value), this.offset);
  }

  /** @throws TypeError for anything but a text of at most 255 bytes; `field` is named then. */
  shortString(value: string, field: string): void {
    if (typeof value !== 'string') throw new TypeError(`${field} must be a text`);
    this.#need(1);
    const at = this.offset++;
    this.#utf8(value);
    const bytes = this.offset - at - 1;
    if (bytes > SHORT_STRING_LIMIT_BYTES) {
      throw new TypeError(`${field} has ${bytes} bytes; AMQP allows ${SHORT_STRING_LIMIT_BYTES}`);
    }
    this.buffer[at] = bytes;
  }

  /** Length first, then what `write` writes. */
  sized(write: () => void): void {
    this.#need(4);
    const at = this.offset;
    this.offset += 4;
    write();
    this.#put32(this.offset - at - 4, at);
  }

  /**
   * The entries of a table, inherited ones too (a sender's key `!` is handed over so), without its length.
   * @throws TypeError for what has no AMQP form, RangeError when the buffer is full
   */
  entries(table: HeaderTable): void {
    for (const key in table) {
      const value = table[key];
      if (value === undefined) continue;
      this.shortString(key, 'a header name');
      this.value(value);
    }
  }

  /** A number whose wire type isn't stated becomes what {@link toAmqp} makes of it. */
  value(value: HeaderValue): void {
    if (typeof value === 'string') this.#longString(value);
    else if (value === null) this.#tag('V');
    else if (typeof value === 'boolean') {
      this.#tag('t');
      this.uint8(value ? 1 : 0);
    } else if (typeof value !== 'object') this.value(toAmqp(value));
    else if (Array.isArray(value)) this.#array(value);
    else if (value instanceof Uint8Array) this.#bytes(value);
    else if (isTypedValue(value)) this.#typed(value);
    else {
      this.#tag('F');
      this.sized(() => this.entries(value as HeaderTable));
    }
  }

  #array(items: readonly HeaderValue[]): void {
    this.#tag('A');
    this.sized(() => {
      for (const item of items) this.value(item);
    });
  }

  #bytes(bytes: Uint8Array): void {
    this.#tag('x');
    this.uint32(bytes.length);
    this.#need(bytes.length);
    this.buffer.set(bytes, this.offset);
    this.offset += bytes.length;
  }

  #typed({ '!': type, value }: TypedValue): void {
    if (type === 'decimal') {
      this.#decimal(value);
      return;
    }
    if (typeof value === 'object') throw new TypeError(`${type} must be a number`);
    this.#need(9);
    switch (type) {
      case 'int':
        this.#tag('I');
        this.offset = this.buffer.writeInt32BE(Number(value), this.offset);
        return;
      case 'long':
        this.#tag('l');
        this.offset = this.buffer.writeBigInt64BE(BigInt(value), this.offset);
        return;
      case 'timestamp':
        this.#tag('T');
        this.uint64(value);
        return;
      case 'double':
        this.#tag('d');
        this.offset = this.buffer.writeDoubleBE(Number(value), this.offset);
        return;
      case 'float':
        this.#tag('f');
        this.offset = this.buffer.writeFloatBE(Number(value), this.offset);
        return;
      default:
        throw new TypeError(`there is no wire type ${String(type satisfies never)}`);
    }
  }

  #decimal(value: TypedValue['value']): void {
    if (typeof value !== 'object') throw new TypeError('decimal must have places and digits');
    this.#tag('D');
    this.#need(5);
    this.offset = this.buffer.writeUInt8(value.places, this.offset);
    this.offset = this.buffer.writeUInt32BE(value.digits, this.offset);
  }

  #longString(value: string): void {
    this.#tag('S');
    this.#need(4);
    const at = this.offset;
    this.offset += 4;
    this.#utf8(value);
    this.#put32(this.offset - at - 4, at);
  }

  #utf8(text: string): void {
    const { length } = text;
    // Every unit of UTF-16 takes three bytes at most; if that fits, nothing needs to be counted.
    if (this.offset + length * 3 > this.buffer.length) this.#need(Buffer.byteLength(text));
    if (length > LOOP_LIMIT || !this.#ascii(text)) {
      this.offset += this.buffer.write(text, this.offset, 'utf8');
    }
  }

  /** Writes it if it is nothing but ASCII. */
  #ascii(text: string): boolean {
    const { buffer, offset } = this;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return false;
      buffer[offset + index] = code;
    }
    this.offset = offset + text.length;
    return true;
  }

  #tag(type: string): void {
    this.uint8(type.charCodeAt(0));
  }

  #put32(value: number, at: number): number {
    this.buffer[at] = value >>> 24;
    this.buffer[at + 1] = value >>> 16;
    this.buffer[at + 2] = value >>> 8;
    this.buffer[at + 3] = value;
    return at + 4;
  }

  #need(bytes: number): void {
    if (this.offset + bytes > this.buffer.length) {
      throw new RangeError(`more than the ${this.buffer.length} bytes of the encoding buffer`);
    }
  }
}
