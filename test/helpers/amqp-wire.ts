import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * amqplib's own encoder and decoder, for a peer that speaks real AMQP. They are not exported by the
 * package, so they are loaded by path.
 */
const require = createRequire(import.meta.url);
const lib = dirname(require.resolve('amqplib'));

export type Fields = Record<string, unknown>;

interface Definitions {
  readonly constants: Readonly<Record<string, number>>;
  info(id: number): { readonly name: string };
  encodeMethod(id: number, channel: number, fields: Fields): Buffer;
  encodeProperties(id: number, channel: number, size: number, fields: Fields): Buffer;
  readonly [method: string]: unknown;
}

export interface Frame {
  /** Method or class id; absent for a piece of a body. */
  readonly id?: number;
  readonly channel: number;
  readonly fields?: Fields;
  /** Size of the body that follows a header. */
  readonly size?: number;
  readonly content?: Buffer;
}

interface RawFrame {
  readonly rest: Buffer;
}

interface Framing {
  parseFrame(bytes: Buffer, max: number): RawFrame | false;
  decodeFrame(frame: RawFrame): Frame;
  makeBodyFrame(channel: number, payload: Buffer): Buffer;
}

const defs = require(join(lib, 'lib', 'defs.js')) as Definitions;
const framing = require(join(lib, 'lib', 'frame.js')) as Framing;

/** The name of a method, such as `BasicPublish`, or `BasicProperties` for a message's header. */
export function nameOf(id: number): string {
  return defs.info(id).name;
}

function idOf(name: string): number {
  const id = defs[name];
  if (typeof id !== 'number') throw new Error(`amqplib knows no ${name}`);
  return id;
}

export function encodeMethod(name: string, channel: number, fields: Fields): Buffer {
  return defs.encodeMethod(idOf(name), channel, fields);
}

/** Header and body frames of a message. */
export function encodeContent(channel: number, properties: Fields, body: Buffer): Buffer {
  const header = defs.encodeProperties(idOf('BasicProperties'), channel, body.length, properties);
  return body.length === 0 ? header : Buffer.concat([header, framing.makeBodyFrame(channel, body)]);
}

/** Takes all whole frames off the front of `bytes`. */
export function decodeFrames(bytes: Buffer): { frames: Frame[]; rest: Buffer } {
  const frames: Frame[] = [];
  let rest = bytes;
  for (;;) {
    const raw = framing.parseFrame(rest, 0);
    if (raw === false) return { frames, rest };
    frames.push(framing.decodeFrame(raw));
    rest = raw.rest;
  }
}
