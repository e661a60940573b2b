import { readFileSync } from 'node:fs';
import { copyOf } from '../../../functions/message/copy.ts';
import { decodeRecord } from '../../../functions/message/decode-record.ts';
import type { CopyStamp, Message, OutgoingCopy } from '../../../functions/message/types.ts';
import { encodeHeaders } from './amqplib-codec.ts';
import { decodeWire, jvmDate, jvmJson, type WireTable } from './wire.ts';

/** One of the published or derived events, parsed anew. */
export function eventFixture(name: string): unknown {
  const file = new URL(`../../fixtures/events/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** A record of the event, with every property null but the given ones. */
export function record(basicProperties: object = {}, rest: object = {}): Record<string, unknown> {
  return {
    basicProperties: {
      contentType: null,
      contentEncoding: null,
      headers: null,
      deliveryMode: null,
      priority: null,
      correlationId: null,
      replyTo: null,
      expiration: null,
      messageId: null,
      timestamp: null,
      type: null,
      userId: null,
      appId: null,
      clusterId: null,
      bodySize: 2,
      ...basicProperties,
    },
    redelivered: false,
    data: 'e30=',
    ...rest,
  };
}

export function eventOf(...records: unknown[]): object {
  return {
    eventSource: 'aws:rmq',
    eventSourceArn: 'arn:aws:mq:eu-west-1:123456789012:broker:b:b-1',
    rmqMessagesByQueue: { 'orders::/': records },
  };
}

/** A long string of the event. */
export function longString(text: string): { bytes: number[] } {
  return { bytes: [...new Int8Array(Buffer.from(text))] };
}

/** A message of the work queue `orders` that had these headers in the event. */
export function messageWith(headers: unknown, basicProperties: object = {}, rest: object = {}) {
  return decodeRecord(record({ ...basicProperties, headers }, rest), 'orders', '/').message;
}

/** The same from headers on the wire, by way of the JVM and JSON. */
export function messageFromWire(table: WireTable, basicProperties: object = {}): Message {
  return messageWith(JSON.parse(jvmJson(table)), basicProperties);
}

/** A copy as the next invocation of a Lambda function gets it: wire, JVM, JSON, decoder. */
export function nextDelivery(copy: OutgoingCopy, token = 'token-1'): Message {
  const wire = decodeWire(encodeHeaders({ ...copy.headers, 'x-layover-publish': token }));
  const { timestampSeconds, ...properties } = copy.properties;
  const timestamp = timestampSeconds === undefined ? null : jvmDate(timestampSeconds);
  const json = record(
    { ...properties, timestamp, deliveryMode: 2, headers: JSON.parse(jvmJson(wire)) },
    { data: copy.body.toString('base64') },
  );
  return decodeRecord(json, copy.queue, '/').message;
}

export const AT = new Date('2026-03-01T10:00:00.000Z');
export const LATER = new Date('2026-03-01T10:05:00.000Z');

export const FAILURE = {
  class: 'transient',
  rule: 'http-503',
  signature: 'a1b2c3d4',
  name: 'PaymentError',
  code: 'E503',
  message: 'payment service answered 503',
} as const;

export function stampOf(changes: Partial<CopyStamp> = {}): CopyStamp {
  return {
    retryCount: 1,
    failure: FAILURE,
    at: AT,
    consumer: { flow: 'orders', version: '12', requestId: 'req-1' },
    suspect: false,
    messageIdIfMissing: 'stamped-1',
    workQueue: 'orders',
    ...changes,
  };
}

/** The tags of a copy's headers on the wire. */
export function wireOf(copy: OutgoingCopy): Map<string, WireTable[number][1]> {
  return new Map(decodeWire(encodeHeaders(copy.headers)));
}

/** A first copy of a message with these headers and properties. */
export function copyOfHeaders(headers: unknown, properties: object = {}) {
  return copyOf(messageWith(headers, properties), stampOf(), 'orders.wait.10s');
}
