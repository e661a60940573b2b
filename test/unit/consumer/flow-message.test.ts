import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { flowMessage, handlerMessage } from '../../../functions/consumer/flow-message.ts';
import type { HeaderTable } from '../../../functions/message/types.ts';
import { aMessage } from '../../helpers/messages.ts';

const table = (entries: object): HeaderTable => Object.assign(Object.create(null), entries);
const body = (text: string) => Buffer.from(text);

describe('the message a handler sees', () => {
  it('has the parsed payload of a JSON body', async () => {
    const message = await handlerMessage({}, aMessage({ body: body('{"a":[1,2]}') }));
    expect(message.payload).toEqual({ a: [1, 2] });
    expect(message.messageId).toBe('m-1');
  });

  it.each([
    ['application/vnd.shop.order+json', '{"a":1}', { a: 1 }],
    ['application/json; charset=utf-8', '{"a":1}', { a: 1 }],
    [undefined, '[1]', [1]],
    ['text/plain', 'grüße', 'grüße'],
  ])('reads content type %s', async (contentType, text, expected) => {
    const properties = contentType === undefined ? {} : { contentType };
    const message = await handlerMessage({}, aMessage({ properties, body: body(text) }));
    expect(message.payload).toEqual(expected);
  });

  it('gives bytes for a type it does not read', async () => {
    const bytes = Buffer.from([0xff, 0x00]);
    const properties = { contentType: 'application/x-protobuf' };
    const message = await handlerMessage({}, aMessage({ properties, body: bytes }));
    expect(message.payload).toBe(bytes);
  });

  it.each([
    ['no JSON', { body: body('<html>') }, /no JSON/],
    ['an empty body', { body: body('') }, /empty/],
    ['bytes that are no UTF-8', { body: Buffer.from([0xff, 0xfe]) }, /not valid UTF-8/],
    [
      'a compressed body',
      { properties: { contentEncoding: 'gzip' } },
      /contentEncoding is 'gzip'.*Send it uncompressed/,
    ],
  ])('refuses %s as a payload that can not be understood', async (_name, parts, expected) => {
    await expect(handlerMessage({}, aMessage(parts))).rejects.toMatchObject({
      name: 'PayloadError',
      message: expect.stringMatching(expected),
    });
  });

  it('validates with the schema of the flow and hands on what the schema made of it', async () => {
    const payload = z.object({ orderId: z.string().transform((id) => id.toUpperCase()) });
    const message = await handlerMessage({ payload }, aMessage());
    expect(message.payload).toEqual({ orderId: 'O-1' });
  });

  it('names each field that the schema refuses', async () => {
    const payload = z.object({ customer: z.object({ id: z.string() }), total: z.number() });
    const refused = aMessage({ body: body('{"customer":{},"total":"3"}') });
    await expect(handlerMessage({ payload }, refused)).rejects.toMatchObject({
      name: 'PayloadInvalidError',
      message: expect.stringMatching(/customer\.id: .*total: /),
      issues: expect.arrayContaining([expect.objectContaining({ message: expect.any(String) })]),
    });
  });

  it('shows header values as a person expects them', () => {
    const headers = table({
      at: { '!': 'timestamp', value: 1_700_000_000 },
      price: { '!': 'decimal', value: { places: 2, digits: 1234 } },
      nested: table({ list: [1, { '!': 'long', value: 5n }] }),
      raw: new Uint8Array([1]),
      nothing: null,
    });
    expect({ ...flowMessage(aMessage({ headers })).headers }).toEqual({
      at: new Date(1_700_000_000_000),
      price: 12.34,
      nested: { list: [1, 5n] },
      raw: new Uint8Array([1]),
      nothing: null,
    });
  });

  it('lets a label function look at a payload that can not be read without failing', () => {
    expect(flowMessage(aMessage({ body: body('{') })).payload).toBeUndefined();
  });
});
