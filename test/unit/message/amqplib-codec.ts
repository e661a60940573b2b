import { createRequire } from 'node:module';
import path from 'node:path';
import type { AmqpDelivery } from '../../../functions/message/decode-delivery.ts';
import type { HeaderTable, OutgoingCopy } from '../../../functions/message/types.ts';

interface Codec {
  encodeTable(buffer: Buffer, table: object, offset: number): number;
  decodeFields(fields: Buffer): Record<string, unknown>;
}

const require = createRequire(import.meta.url);
// The package exports its API only; by path, the codec it really uses.
const lib = path.join(path.dirname(require.resolve('amqplib')), 'lib');
const codec = require(path.join(lib, 'codec.js')) as Codec;
const { publish } = require(path.join(lib, 'api_args.js')) as {
  publish(exchange: string, key: string, options: object): { headers: object };
};

/** Headers as a publish of amqplib's puts them on the wire, the table's length included. */
export function encodeHeaders(headers: HeaderTable): Buffer {
  const buffer = Buffer.alloc(65_536);
  const fields = publish('', 'q', { headers });
  return Buffer.from(buffer.subarray(0, codec.encodeTable(buffer, fields.headers, 0)));
}

/** Headers as amqplib hands them to a consumer. */
export function decodeHeaders(wire: Buffer): Record<string, unknown> {
  return codec.decodeFields(wire.subarray(4));
}

/** The delivery amqplib gives for a table of headers on the wire. */
export function deliveryOf(wire: Buffer, properties: object = {}, content = 'body'): AmqpDelivery {
  return {
    content: Buffer.from(content),
    fields: { redelivered: false },
    properties: { ...properties, headers: decodeHeaders(wire) },
  };
}

/** A copy, published and read again with amqplib; the token is what the publisher adds. */
export function readBack(copy: OutgoingCopy, token = 'token-1'): AmqpDelivery {
  const { timestampSeconds, ...properties } = copy.properties;
  return {
    content: copy.body,
    fields: { redelivered: false },
    properties: {
      ...properties,
      timestamp: timestampSeconds,
      headers: decodeHeaders(encodeHeaders({ ...copy.headers, 'x-layover-publish': token })),
    },
  };
}
