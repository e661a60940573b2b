import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent, splitQueueKey } from '../../../functions/message/decode-event.ts';
import { EventError } from '../../../functions/message/errors.ts';
import type { RabbitMqEvent } from '../../../functions/message/event.ts';
import { strangerTable } from './amqp-arbitrary.ts';
import { eventFixture, eventOf, record } from './samples.ts';
import { jvmJson } from './wire.ts';

function only(event: unknown) {
  const { records } = decodeEvent(event);
  expect(records).toHaveLength(1);
  const [first] = records;
  if (first === undefined) throw new Error('no record');
  return first;
}

describe('published events', () => {
  it("reads AWS's sample", () => {
    const decoded = only(eventFixture('aws-docs-with-mq'));

    expect(decoded).toMatchObject({ ok: true, warnings: [] });
    expect(decoded.message).toMatchObject({
      queue: 'pizzaQueue',
      vhost: '/',
      properties: {
        contentType: 'text/plain',
        deliveryMode: 1,
        priority: 34,
        expiration: '60000',
        timestampSeconds: 2021,
        userId: 'AIDACKCEVSQ6C2EXAMPLE',
      },
      headers: { header1: 'value1', header2: 'value2', numberInHeader: 10 },
      redelivered: false,
      deaths: [],
      state: { own: false, retryCount: 0, suspect: false, origin: {}, replay: { count: 0 } },
    });
    expect(decoded.message.body.toString()).toBe('{"timeout":0,"data":"CZrmf0Gw8Ov4bqLQxD4E"}');
  });

  it('reads a message with every optional property null', () => {
    const { records } = decodeEvent(eventFixture('aws-lambda-dotnet-amazonmq-rabbitmq'));

    expect(records).toHaveLength(2);
    expect(records[1]).toMatchObject({ ok: true, warnings: [], message: { redelivered: true } });
    expect(records[1]?.message.properties).toEqual({ deliveryMode: 1 });
    expect(records[1]?.message.body.toString()).toBe('Hello World');
  });

  it('reads every type of header', () => {
    const { records } = decodeEvent(eventFixture('derived-header-types-43'));

    expect(records.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(records[0]?.message).toMatchObject({ properties: {}, body: Buffer.alloc(0) });
    expect(records[1]?.message.body).toEqual(Buffer.from([0xff, 0x00, 0xfe]));
    expect(records[2]?.message.headers).toEqual({
      bool_true: true,
      bool_false: false,
      double: Math.PI,
      double_whole: 3,
      float: 1.5,
      float_inexact: 0.1,
      decimal: 12.34,
      byte_neg: -5,
      short: -300,
      int: -70000,
      int_max: 2147483647,
      long: 5000000000,
      long_beyond_2p53: 2 ** 53,
      long_max: 2 ** 63,
      table: { s: 'nested', n: 7 },
      table_empty: {},
      bytearray: [0, 1, 2, 127, -128, -1],
      array_mixed: ['a', 1, true, 2, { k: 'v' }, ['x']],
      array_empty: [],
      longstr_ascii: 'plain',
      longstr_empty: '',
      longstr_utf8: 'héllo € 😀',
      timestamp: { '!': 'timestamp', value: Date.UTC(2025, 10, 30, 20) / 1000 },
      null: null,
    });
  });

  it('case 54: reads how often a message was delivered and acquired', () => {
    const dead = only(eventFixture('derived-delivery-limit-dlq-43')).message;
    const nacked = decodeEvent(eventFixture('derived-delivery-count-nack-43')).records;

    expect(dead).toMatchObject({ redelivered: true, deliveryCount: 2, acquiredCount: 2 });
    expect(nacked.map(({ message }) => message.acquiredCount)).toEqual([undefined, 1, 2, 3]);
    expect(nacked.map(({ message }) => message.deliveryCount)).toEqual(Array(4).fill(undefined));
    expect(nacked.map(({ message }) => message.redelivered)).toEqual([false, true, true, true]);
  });

  it('reads the deaths of a message, newest first, and keeps them out of its headers', () => {
    const { message } = only(eventFixture('derived-x-death-40'));

    expect(message.deliveryCount).toBe(3);
    expect(message.headers).toEqual({ k: 'v' });
    expect(message.deaths).toEqual([
      {
        queue: 'wait',
        reason: 'expired',
        count: 3,
        exchange: 'orders.dlx',
        routingKeys: ['wait'],
        timeSeconds: Date.UTC(2026, 10, 30, 20, 4, 34) / 1000,
      },
      {
        queue: 'work',
        reason: 'rejected',
        count: 3,
        exchange: 'orders',
        routingKeys: ['order.created'],
        timeSeconds: Date.UTC(2026, 10, 30, 20, 4, 34) / 1000,
        first: true,
      },
    ]);
  });

  it('has types that fit the published sample', () => {
    const event = eventFixture('aws-docs-with-mq') as RabbitMqEvent;

    const [key] = Object.keys(event.rmqMessagesByQueue);

    expect(key).toBe('pizzaQueue::/');
    expect(event.rmqMessagesByQueue['pizzaQueue::/']?.[0]?.basicProperties.bodySize).toBe(80);
  });
});

describe('properties', () => {
  it('case 4: null means absent', () => {
    const { message } = only(
      eventOf(
        record({
          contentEncoding: null,
          correlationId: null,
          replyTo: null,
          expiration: null,
          messageId: null,
          type: null,
          appId: null,
          clusterId: null,
          deliveryMode: 1,
        }),
      ),
    );

    expect(message.properties).toEqual({ deliveryMode: 1 });
  });

  it('reads a property that is missing altogether like null', () => {
    const { ok, message } = only(eventOf({ basicProperties: {}, redelivered: false, data: '' }));

    expect(ok).toBe(true);
    expect(message.properties).toEqual({});
  });

  it.each([
    ['60000', '60000'],
    [60000, '60000'],
    ['soon', 'soon'],
  ])('takes an expiration of %j', (expiration, text) => {
    const { message, warnings } = only(eventOf(record({ expiration })));

    expect(message.properties.expiration).toBe(text);
    expect(warnings).toEqual([]);
  });

  it('case 12: a timestamp that is no date is left out and kept aside as text', () => {
    const { ok, message, warnings } = only(eventOf(record({ timestamp: 'garbage' })));

    expect(ok).toBe(true);
    expect(message.properties).toEqual({ timestampText: 'garbage' });
    expect(warnings).toEqual(['timestamp "garbage" can\'t be read as a date: not sent on']);
  });

  it.each([
    ['deliveryMode', 1, 1],
    ['deliveryMode', 2, 2],
    ['deliveryMode', null, undefined],
    ['priority', 0, 0],
    ['priority', 255, 255],
    ['priority', 256, undefined],
    ['priority', -1, undefined],
    ['priority', 1.5, undefined],
    ['priority', '4', undefined],
  ] as const)('reads %s %j as %j', (name, value, expected) => {
    const { ok, message } = only(eventOf(record({ [name]: value })));

    expect(ok).toBe(true);
    expect(message.properties[name]).toBe(expected);
  });

  it('warns of a property of the wrong type, and goes on without it', () => {
    const { ok, message, warnings } = only(
      eventOf(record({ messageId: 7, correlationId: ['c'], expiration: {}, priority: 999 })),
    );

    expect(ok).toBe(true);
    expect(message.properties).toEqual({});
    expect(warnings).toEqual([
      'correlationId is ["c"], not text: ignored',
      'messageId is 7, not text: ignored',
      'priority is 999, not a whole number from 0 to 255: ignored',
      'expiration is {}, neither text nor a number: ignored',
    ]);
  });
});

describe('headers', () => {
  it.each([[null], [{}], [[]]])('takes %j for no headers', (headers) => {
    const { ok, message } = only(eventOf(record({ headers })));

    expect(ok).toBe(true);
    expect(message.headers).toEqual({});
  });

  it.each([[['a']], ['text'], [7], [true]])(
    "doesn't trust a record whose headers are %j",
    (headers) => {
      const decoded = only(eventOf(record({ headers })));

      expect(decoded).toMatchObject({
        ok: false,
        decodeProblem: `headers is ${JSON.stringify(headers)}, not a table`,
        message: { headers: {}, body: Buffer.from('{}') },
      });
    },
  );

  it('leaves out a header nested beyond all reason, and says which', () => {
    const deep = '['.repeat(500) + ']'.repeat(500);
    const decoded = only(eventOf(record({ headers: { deep: JSON.parse(deep), tenant: 1 } })));

    expect(decoded).toMatchObject({
      ok: false,
      decodeProblem: 'header "deep" is nested deeper than 64 levels: left out',
      message: { headers: { tenant: 1 } },
    });
  });
});

describe('bodies', () => {
  it('reads an empty body', () => {
    expect(only(eventOf(record({}, { data: '' })))).toMatchObject({
      ok: true,
      message: { body: Buffer.alloc(0) },
    });
  });

  it.each(['eyJ9*', 'e30=x', 'e30\n', 'a', '=', 'e===', 'not base64 at all', 'héllo'])(
    'keeps the text of %j, which is no base64, and says so',
    (data) => {
      const decoded = only(eventOf(record({ messageId: 'm-1' }, { data })));

      expect(decoded).toMatchObject({
        ok: false,
        decodeProblem: `data is not base64: ${JSON.stringify(data)}`,
      });
      expect(decoded.message.body.toString()).toBe(data);
      expect(decoded.message.properties.messageId).toBe('m-1');
    },
  );

  it('names a long text that is no base64 by its start', () => {
    const decoded = only(eventOf(record({}, { data: '*'.repeat(5000) })));

    expect(decoded.message.body).toHaveLength(5000);
    expect(decoded.ok ? '' : decoded.decodeProblem.length).toBeLessThan(120);
  });

  it.each([
    [null, ''],
    [undefined, ''],
    [42, '42'],
    [{ a: 1 }, '{"a":1}'],
  ])('keeps what is there when data is %j', (data, body) => {
    const decoded = only(eventOf(record({}, { data })));

    expect(decoded.ok).toBe(false);
    expect(decoded.message.body.toString()).toBe(body);
  });

  it('gives the bytes back, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const data = Buffer.from(bytes).toString('base64');
        const decoded = only(eventOf(record({}, { data })));
        expect(decoded.ok).toBe(true);
        expect(decoded.message.body.equals(bytes)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('either decodes a text as base64 or keeps it whole', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (data) => {
        const { ok, message } = only(eventOf(record({}, { data })));
        const again = message.body.toString('base64').replace(/=+$/, '');
        const same = data.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
        // The last digit may carry bits that belong to no byte.
        if (ok) expect(again.slice(0, -1)).toBe(same.slice(0, -1));
        else expect(message.body.toString()).toBe(data);
      }),
      { numRuns: 500 },
    );
  });
});

describe('keys of queues', () => {
  it.each([
    ['orders::/', 'orders', '/'],
    ['orders::v2::/', 'orders::v2', '/'],
    ['orders::shop/eu', 'orders', 'shop/eu'],
    ['orders', 'orders', '/'],
    ['::/', '', '/'],
    ['__proto__::/', '__proto__', '/'],
  ])('splits %j at the last ::', (key, queue, vhost) => {
    expect(splitQueueKey(key)).toEqual({ queue, vhost });
  });

  it('keeps the order of records over several queues', () => {
    const event = {
      eventSource: 'aws:rmq',
      rmqMessagesByQueue: {
        'b::/': [record({ messageId: '1' }), record({ messageId: '2' })],
        'a::/': [record({ messageId: '3' })],
      },
    };

    const { records, eventSourceArn } = decodeEvent(event);

    expect(eventSourceArn).toBeUndefined();
    expect(records.map(({ message }) => [message.queue, message.properties.messageId])).toEqual([
      ['b', '1'],
      ['b', '2'],
      ['a', '3'],
    ]);
  });
});

describe('garbled records', () => {
  it.each([[null], ['text'], [7], [[]], [[{ a: 1 }]]])(
    'gives a message for a record that is %j',
    (garbled) => {
      const { records } = decodeEvent(eventOf(record(), garbled, record()));

      expect(records.map(({ ok }) => ok)).toEqual([true, false, true]);
      expect(records[1]).toMatchObject({ message: { queue: 'orders', vhost: '/', headers: {} } });
      expect(records[1]?.message.body.toString()).toBe(
        garbled === null ? '' : JSON.stringify(garbled),
      );
    },
  );

  it('keeps the body of a record without properties, but does not trust it', () => {
    const decoded = only(eventOf({ redelivered: true, data: 'e30=' }));

    expect(decoded).toMatchObject({
      ok: false,
      decodeProblem: 'basicProperties is undefined, not an object',
      message: { body: Buffer.from('{}'), redelivered: true, properties: {} },
    });
  });

  it('names every problem of a record', () => {
    const decoded = only(eventOf({ basicProperties: { headers: 'h' }, data: '*' }));

    expect(decoded).toMatchObject({
      ok: false,
      decodeProblem: 'headers is "h", not a table; data is not base64: "*"',
    });
  });

  it("takes a queue's records that are no list for one garbled record", () => {
    const event = { eventSource: 'aws:rmq', rmqMessagesByQueue: { 'a::/': 'x', 'b::/': null } };

    const { records } = decodeEvent(event);

    expect(records).toMatchObject([{ ok: false, message: { queue: 'a' } }]);
  });
});

describe('what is no event', () => {
  it.each([
    [undefined, 'NOT_AN_OBJECT', /^The event is undefined, not an object/],
    [[], 'NOT_AN_OBJECT', /^The event is \[\], not an object/],
    [{}, 'WRONG_SOURCE', /^eventSource is undefined, not "aws:rmq"/],
    [{ eventSource: 'aws:mq' }, 'WRONG_SOURCE', /^eventSource is "aws:mq", not "aws:rmq"/],
    [{ eventSource: 'aws:rmq' }, 'NO_QUEUES', /^rmqMessagesByQueue is undefined/],
    [
      { eventSource: 'aws:rmq', rmqMessagesByQueue: [] },
      'NO_QUEUES',
      /^rmqMessagesByQueue is \[\]/,
    ],
  ])('refuses %j', (event, code, message) => {
    let thrown: unknown;
    try {
      decodeEvent(event);
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toBeInstanceOf(EventError);
    expect(thrown).toMatchObject({
      name: 'EventError',
      code,
      message: expect.stringMatching(message),
    });
  });
});

describe('strangers', () => {
  it('decodes any table of headers without throwing and without touching prototypes', () => {
    fc.assert(
      fc.property(strangerTable, (table) => {
        const decoded = only(eventOf(record({ headers: JSON.parse(jvmJson(table)) })));

        expect(decoded.ok).toBe(true);
        expect(Object.getPrototypeOf(decoded.message.headers)).toBeNull();
        expect(Object.keys({})).toEqual([]);
        expect(({} as Record<string, unknown>)['x-retry-count']).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('decodes any JSON in place of a record, and never loses one', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), (records) => {
        expect(decodeEvent(eventOf(...records)).records).toHaveLength(records.length);
      }),
      { numRuns: 500 },
    );
  });

  it('decodes any JSON in place of any part of a record', () => {
    const part = fc.jsonValue({ maxDepth: 3 });
    const garbled = fc.record(
      {
        basicProperties: fc.oneof(part, fc.record({ headers: part, timestamp: part, type: part })),
        data: part,
        redelivered: part,
      },
      { requiredKeys: [] },
    );

    fc.assert(
      fc.property(garbled, (json) => {
        const decoded = only(eventOf(json));
        expect(decoded.message.body).toBeInstanceOf(Buffer);
        expect(typeof decoded.message.redelivered).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });
});
