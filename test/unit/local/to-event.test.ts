import type { ConsumeMessage } from 'amqplib';
import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../../functions/message/decode-event.ts';
import { jvmTime, toEvent, toEventRecord } from '../../../infra/local/to-event.ts';

type Properties = Partial<ConsumeMessage['properties']>;

function delivery(properties: Properties = {}, content = Buffer.from('{}'), redelivered = false) {
  return {
    content,
    fields: { deliveryTag: 1, redelivered, exchange: 'shop', routingKey: 'r', consumerTag: 'c' },
    properties,
  } as ConsumeMessage;
}

/** What the function gets: the event went through text. */
function recordOf(message: ConsumeMessage) {
  const event = JSON.parse(toEvent('orders', '/', [toEventRecord(message)]));
  return event.rmqMessagesByQueue['orders::/'][0];
}

describe('a record of the event', () => {
  it('has every property of the published sample, null where the message has none', () => {
    expect(recordOf(delivery())).toEqual({
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
      },
      redelivered: false,
      data: 'e30=',
    });
  });

  it('leaves out exchange, routing key and delivery tag, as AWS does', () => {
    const record = recordOf(delivery());
    expect(Object.keys(record)).toEqual(['basicProperties', 'redelivered', 'data']);
  });

  it('keeps the properties that are set', () => {
    const properties = {
      contentType: 'application/json',
      messageId: 'm-1',
      correlationId: 'c-1',
      replyTo: 'amq.gen-x',
      expiration: '60000',
      priority: 0,
      deliveryMode: 2,
      userId: 'guest',
      appId: 'shop',
      type: 'OrderPlaced',
    };
    expect(recordOf(delivery(properties)).basicProperties).toMatchObject(properties);
  });

  it('encodes the body as base64, an empty one as empty text', () => {
    expect(recordOf(delivery({}, Buffer.from([0xff, 0, 0x3e]))).data).toBe('/wA+');
    expect(recordOf(delivery({}, Buffer.alloc(0))).data).toBe('');
  });

  it('passes the redelivered flag on', () => {
    expect(recordOf(delivery({}, Buffer.from(''), true)).redelivered).toBe(true);
  });
});

describe('headers', () => {
  const headersOf = (headers: Record<string, unknown>) =>
    recordOf(delivery({ headers })).basicProperties.headers;

  it('write strings as signed bytes of UTF-8', () => {
    expect(headersOf({ text: 'hé', empty: '' })).toEqual({
      text: { bytes: [104, -61, -87] },
      empty: { bytes: [] },
    });
  });

  it('write byte arrays as lists of signed numbers', () => {
    expect(headersOf({ raw: Buffer.from([0, 127, 128, 255]) })).toEqual({
      raw: [0, 127, -128, -1],
    });
  });

  it('keep numbers, booleans and null as they are', () => {
    const headers = { n: -70000, d: 3.5, yes: true, no: false, nothing: null };
    expect(headersOf(headers)).toEqual(headers);
  });

  it('write a timestamp as bare text and a decimal as a number', () => {
    const headers = {
      at: { '!': 'timestamp', value: 1764532800 },
      price: { '!': 'decimal', value: { places: 2, digits: 1234 } },
    };
    expect(headersOf(headers)).toEqual({ at: jvmTime(1764532800), price: 12.34 });
  });

  it('nest tables and arrays', () => {
    expect(headersOf({ list: ['a', 1, { k: 'v' }, ['x']] })).toEqual({
      list: [{ bytes: [97] }, 1, { k: { bytes: [118] } }, [{ bytes: [120] }]],
    });
  });

  it('an empty table stays an empty table, not null', () => {
    expect(headersOf({})).toEqual({});
  });

  it('case 50: a header named __proto__ is a key in the event, though amqplib swapped a prototype for it', () => {
    const headers: Record<string, unknown> = { tenant: 'a' };
    Object.setPrototypeOf(headers, { 'x-retry-count': -100 });
    const text = toEvent('q', '/', [toEventRecord(delivery({ headers }))]);
    const decoded = JSON.parse(text).rmqMessagesByQueue['q::/'][0].basicProperties.headers;
    expect(Object.keys(decoded)).toEqual(['tenant', '__proto__']);
    expect(Object.getOwnPropertyDescriptor(decoded, '__proto__')?.value).toEqual({
      'x-retry-count': -100,
    });
  });
});

describe('time as the JVM writes it', () => {
  it('case 12: is US English in UTC, with a narrow space before AM and PM', () => {
    expect(jvmTime(2021)).toBe('Jan 1, 1970, 12:33:41\u202fAM');
    expect(jvmTime(1764532800)).toBe('Nov 30, 2025, 8:00:00\u202fPM');
  });

  it('does not throw for a value that is no time', () => {
    expect(jvmTime(Number.NaN)).toBe('NaN');
    expect(jvmTime(1e300)).toBe('1e+300');
  });
});

describe('the whole event', () => {
  it('names queue and virtual host in one key, whatever they contain', () => {
    const event = JSON.parse(toEvent('a::b"c', 'v/ö', [toEventRecord(delivery())]));
    expect(Object.keys(event.rmqMessagesByQueue)).toEqual(['a::b"c::v/ö']);
    expect(event.eventSource).toBe('aws:rmq');
    expect(event.eventSourceArn).toMatch(/^arn:aws:mq:/);
  });

  it('is measured in bytes per record', () => {
    const record = toEventRecord(delivery({ headers: { text: 'ö'.repeat(10) } }));
    expect(record.bytes).toBe(Buffer.byteLength(record.json));
  });

  it('is read back by the decoder to what was sent', () => {
    const body = Buffer.from([1, 2, 255]);
    const sent = delivery(
      {
        messageId: 'm-1',
        timestamp: 1764532800,
        headers: { tenant: 'å', n: 5, list: ['a', { b: 'c' }] },
      },
      body,
    );
    const event = JSON.parse(toEvent('orders', '/', [toEventRecord(sent)]));
    const { records } = decodeEvent(event);
    expect(records).toHaveLength(1);
    const message = records[0]?.message;
    expect(message?.queue).toBe('orders');
    expect(message?.properties).toMatchObject({ messageId: 'm-1', timestampSeconds: 1764532800 });
    expect(message?.body.equals(body)).toBe(true);
    expect(message?.headers.tenant).toBe('å');
    expect(message?.headers.n).toBe(5);
  });
});
