import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import { decodeDelivery } from '../../../functions/message/decode-delivery.ts';
import { decodeEvent } from '../../../functions/message/decode-event.ts';
import { CopyError } from '../../../functions/message/errors.ts';
import { HEADERS_LIMIT_BYTES } from '../../../functions/message/limits.ts';
import { knownOrigin } from '../../../functions/message/origin.ts';
import type { HeaderTable, Message } from '../../../functions/message/types.ts';
import { ownBlockBytes } from '../../../functions/message/write-state.ts';
import { afterEvent, senderTable, strangerTable } from './amqp-arbitrary.ts';
import { encodeHeaders, readBack } from './amqplib-codec.ts';
import {
  AT,
  eventFixture,
  FAILURE,
  LATER,
  longString,
  messageFromWire,
  messageWith,
  nextDelivery,
  stampOf,
  wireOf,
} from './samples.ts';
import type { WireTable, WireValue } from './wire.ts';

const PROPERTIES = {
  replyTo: 'client.7',
  correlationId: 'c1',
  messageId: 'm1',
  type: 'OrderPlaced',
  appId: 'shop',
  priority: 4,
  contentType: 'application/json',
  contentEncoding: 'gzip',
} as const;

function copyOfHeaders(headers: unknown, properties: object = {}) {
  return copyOf(messageWith(headers, properties), stampOf(), 'orders.wait.10s');
}

describe('what a copy keeps', () => {
  it('case 34: reply address, correlation, id, type, application and priority', () => {
    const message = messageWith(null, { ...PROPERTIES, timestamp: 'Jul 2, 2023, 1:30:34 AM' });

    const copy = copyOf(message, stampOf(), 'orders.wait.10s');

    expect(copy.queue).toBe('orders.wait.10s');
    expect(copy.properties).toEqual({
      ...PROPERTIES,
      timestampSeconds: Date.UTC(2023, 6, 2, 1, 30, 34) / 1000,
    });
  });

  it('case 34: the same over three laps', () => {
    let message = messageWith(null, PROPERTIES);
    for (let retryCount = 1; retryCount <= 3; retryCount += 1) {
      message = nextDelivery(copyOf(message, stampOf({ retryCount }), 'orders'));
    }

    expect(message.properties).toEqual({ ...PROPERTIES, deliveryMode: 2 });
    expect(message.state.retryCount).toBe(3);
  });

  it('the body, byte for byte', () => {
    const body = Buffer.from([0, 255, 128, 10, 13]);
    const message = messageWith(null, {}, { data: body.toString('base64') });

    expect(copyOf(message, stampOf(), 'q').body).toEqual(body);
  });

  it('the raw text of a body that was no base64', () => {
    const message = messageWith(null, {}, { data: '*** no base64 ***' });

    expect(copyOf(message, stampOf(), 'q').body.toString()).toBe('*** no base64 ***');
  });

  it('case 4: works when every property is null', () => {
    const copy = copyOf(messageWith(null, { deliveryMode: 1 }), stampOf(), 'q');

    expect(copy.properties).toEqual({ messageId: 'stamped-1' });
  });

  it.each([2, 1, null, undefined])(
    'case 8: says nothing of a delivery mode of %s',
    (deliveryMode) => {
      const copy = copyOf(messageWith(null, { deliveryMode }), stampOf(), 'q');

      expect(copy.properties).not.toHaveProperty('deliveryMode');
    },
  );

  it('stamps an id when there is none, and keeps it from then on', () => {
    const first = copyOf(messageWith(null), stampOf(), 'q');
    const second = copyOf(nextDelivery(first), stampOf({ messageIdIfMissing: 'other' }), 'q');

    expect(first.properties.messageId).toBe('stamped-1');
    expect(second.properties.messageId).toBe('stamped-1');
  });

  it('case 12: leaves out a timestamp that could not be read', () => {
    const copy = copyOfHeaders(null, { timestamp: 'garbage' });

    expect(copy.properties).toEqual({ messageId: 'stamped-1' });
  });

  it('every header of the sender, with its type as far as the event tells', () => {
    const { records } = decodeEvent(eventFixture('derived-header-types-43'));
    const message = records[2]?.message;
    if (message === undefined) throw new Error('no third record');

    const wire = wireOf(copyOf(message, stampOf(), 'q'));

    expect(wire.get('bool_true')).toEqual({ tag: 't', value: true });
    expect(wire.get('byte_neg')).toEqual({ tag: 'I', value: -5n });
    expect(wire.get('int_max')).toEqual({ tag: 'I', value: 2147483647n });
    expect(wire.get('long')).toEqual({ tag: 'l', value: 5000000000n });
    expect(wire.get('long_max')).toEqual({ tag: 'l', value: 9223372036854775807n });
    expect(wire.get('float_inexact')).toEqual({ tag: 'd', value: 0.1 });
    expect(wire.get('decimal')).toEqual({ tag: 'd', value: 12.34 });
    expect(wire.get('timestamp')).toEqual({
      tag: 'T',
      value: BigInt(Date.UTC(2025, 10, 30, 20) / 1000),
    });
    expect(wire.get('longstr_utf8')).toEqual({ tag: 'S', value: Buffer.from('héllo € 😀') });
    expect(wire.get('null')).toEqual({ tag: 'V' });
    expect(wire.get('table_empty')).toEqual({ tag: 'F', value: [] });
    expect(wire.get('array_empty')).toEqual({ tag: 'A', value: [] });
    expect(wire.get('bytearray')).toMatchObject({ tag: 'A' });
  });

  it('case 42: an id beyond 2^53 as the event gave it, which is not as it was sent', () => {
    const wire = wireOf(copyOfHeaders(JSON.parse('{"order-id":9007199254740993}')));

    expect(wire.get('order-id')).toEqual({ tag: 'l', value: 9_007_199_254_740_992n });
  });

  it('anything a stranger sends, through the event and amqplib', () => {
    fc.assert(
      fc.property(senderTable, (table) => {
        const wire = wireOf(copyOf(messageFromWire(table), stampOf(), 'q'));

        for (const [name, value] of table) {
          expect(sorted(wire.get(name))).toEqual(sorted(afterEvent(value)));
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('what a copy leaves behind', () => {
  const message = messageWith(
    {
      'x-death': [
        {
          queue: longString('orders'),
          reason: longString('rejected'),
          exchange: longString('shop'),
          count: 1,
          'routing-keys': [longString('order.created')],
        },
      ],
      'x-first-death-queue': longString('orders'),
      'x-first-death-reason': longString('rejected'),
      'x-first-death-exchange': longString('shop'),
      'x-last-death-queue': longString('orders'),
      'x-delivery-count': 3,
      'x-acquired-count': 3,
      CC: [longString('others')],
      BCC: [longString('others')],
      tenant: longString('acme'),
    },
    { userId: 'shop-api', expiration: '2000' },
  );

  it('case 48: the expiration, and with it userId, CC, BCC and what the broker wrote', () => {
    const copy = copyOf(message, stampOf(), 'q');

    expect(copy.properties).toEqual({ messageId: 'stamped-1' });
    const foreign = Object.keys(copy.headers).filter(
      (name) => !/^x-(failure|retry|origin)-/.test(name),
    );
    expect(foreign).toEqual(['tenant']);
  });

  it('keeps what they said as data', () => {
    expect(copyOf(message, stampOf(), 'q').headers).toMatchObject({
      'x-origin-queue': 'orders',
      'x-origin-exchange': 'shop',
      'x-origin-routing-key': 'order.created',
      'x-origin-user-id': 'shop-api',
      'x-origin-deadline': '2026-03-01T10:00:02.000Z',
      'x-origin-deaths': 'orders:rejected:1',
    });
  });

  it('case 50: forged blocks are not carried on', () => {
    const forged = {
      'x-failure-class': longString('security'),
      'x-failure-first-at': longString('1999-01-01T00:00:00Z'),
      'x-replay-count': -7,
      'x-origin-queue': longString('elsewhere'),
      'x-retry-not-before': longString('9999-01-01T00:00:00Z'),
    };

    const { headers } = copyOfHeaders(forged);

    expect(headers['x-failure-class']).toBe('transient');
    expect(headers['x-failure-first-at']).toBe(AT.toISOString());
    expect(headers['x-origin-queue']).toBe('orders');
    expect(headers['x-replay-count']).toBeUndefined();
    expect(headers['x-retry-not-before']).toBeUndefined();
  });

  it('case 50: sends on nothing inherited', () => {
    fc.assert(
      fc.property(strangerTable, (table) => {
        const copy = copyOf(messageFromWire(table), stampOf(), 'q');
        const names = new Set(table.map(([name]) => name));

        for (const name of wireOf(copy).keys()) {
          expect(names.has(name) || /^x-(failure|retry|origin)-/.test(name)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('case 48: the deadline of a message with an expiration', () => {
  const deadline = (expiration: unknown, timestamp: string | null = null) =>
    copyOfHeaders(null, { expiration, timestamp }).headers['x-origin-deadline'];

  it.each([
    ['2000', null, '2026-03-01T10:00:02.000Z'],
    [2000, null, '2026-03-01T10:00:02.000Z'],
    ['0', null, '2026-03-01T10:00:00.000Z'],
    ['2000', 'Mar 1, 2026, 9:59:59 AM', '2026-03-01T10:00:01.000Z'],
    // Sent an hour ago, yet the broker had not expired it: not in the past.
    ['2000', 'Mar 1, 2026, 9:00:00 AM', '2026-03-01T10:00:00.000Z'],
    // The sender's clock is ahead: not later than from now.
    ['2000', 'Mar 1, 2026, 11:00:00 AM', '2026-03-01T10:00:02.000Z'],
    ['9999999999', null, '2026-04-20T03:02:47.295Z'],
  ])('with %j and timestamp %j is %s', (expiration, timestamp, expected) => {
    expect(deadline(expiration, timestamp)).toBe(expected);
  });

  it.each(['1500.7', '-1', 'NaN', '', 'soon', '1e3', '99999999999', null])(
    'is none with an expiration of %j',
    (expiration) => {
      expect(deadline(expiration)).toBeUndefined();
    },
  );

  it('is kept by later copies, whatever the time', () => {
    const first = copyOfHeaders(null, { expiration: '60000' });
    const second = copyOf(nextDelivery(first), stampOf({ at: LATER }), 'q');

    expect(second.headers['x-origin-deadline']).toBe('2026-03-01T10:01:00.000Z');
  });
});

describe('what a copy is stamped with', () => {
  it('tells why, since when, by whom and how often', () => {
    const stamp = stampOf({ labels: { tenant: 'acme' }, notBefore: LATER, retryCount: 2 });

    expect(copyOf(messageWith(null), stamp, 'q').headers).toEqual({
      'x-retry-count': { '!': 'int', value: 2 },
      'x-retry-not-before': '2026-03-01T10:05:00.000Z',
      'x-failure-class': 'transient',
      'x-failure-rule': 'http-503',
      'x-failure-signature': 'a1b2c3d4',
      'x-failure-name': 'PaymentError',
      'x-failure-code': 'E503',
      'x-failure-message': 'payment service answered 503',
      'x-failure-first-at': '2026-03-01T10:00:00.000Z',
      'x-failure-last-at': '2026-03-01T10:00:00.000Z',
      'x-failure-consumer': 'orders/12/req-1',
      'x-failure-labels': '{"tenant":"acme"}',
      'x-origin-queue': 'orders',
    });
  });

  it('keeps first-at and moves last-at', () => {
    const second = copyOf(nextDelivery(copyOfHeaders(null)), stampOf({ at: LATER }), 'q');

    expect(second.headers['x-failure-first-at']).toBe(AT.toISOString());
    expect(second.headers['x-failure-last-at']).toBe(LATER.toISOString());
  });

  const { failure: _failure, ...deferral } = stampOf({ at: LATER, retryCount: 1 });

  it('leaves the failure block as it was on a deferral', () => {
    const failed = nextDelivery(copyOf(messageWith(null), stampOf({ labels: { a: 'b' } }), 'q'));
    const deferred = nextDelivery(copyOf(failed, deferral, 'q'));

    expect(deferred.state).toEqual(failed.state);
  });

  it('says since when and by whom on a deferral that is the first move, and blames nobody', () => {
    const { headers } = copyOf(messageWith(null), { ...deferral, retryCount: 0 }, 'q');

    expect(headers).toEqual({
      'x-failure-first-at': LATER.toISOString(),
      'x-failure-consumer': 'orders/12/req-1',
      'x-origin-queue': 'orders',
    });
  });

  it('drops the lap when it has ended, and the mark when it has', () => {
    const marked = copyOf(messageWith(null), stampOf({ suspect: true, notBefore: LATER }), 'q');
    const cleared = copyOf(nextDelivery(marked), stampOf(), 'q');

    expect(marked.headers['x-failure-suspect']).toBe(true);
    expect(nextDelivery(marked).state).toMatchObject({ suspect: true, notBefore: LATER });
    expect(cleared.headers['x-failure-suspect']).toBeUndefined();
    expect(cleared.headers['x-retry-not-before']).toBeUndefined();
  });

  it('carries the replay block on', () => {
    const replayed = messageWith({
      'x-layover-publish': longString('token'),
      'x-replay-count': 2,
      'x-replay-run': longString('run-1'),
    });

    const { headers } = copyOf(replayed, stampOf(), 'q');

    expect(headers['x-replay-count']).toEqual({ '!': 'int', value: 2 });
    expect(headers['x-replay-run']).toBe('run-1');
  });

  it('keeps the origin of the first copy when the message comes back through a wait queue', () => {
    const first = copyOfHeaders(null, { userId: 'shop-api' });
    const back = nextDelivery(first);
    const fromWaiting: Message = {
      ...back,
      deaths: [{ queue: 'orders.wait.10s', reason: 'expired', count: 1, routingKeys: ['x'] }],
    };

    const { headers } = copyOf(fromWaiting, stampOf({ workQueue: 'other' }), 'q');

    expect(headers['x-origin-queue']).toBe('orders');
    expect(headers['x-origin-user-id']).toBe('shop-api');
    expect(headers['x-origin-deaths']).toBeUndefined();
    expect(headers['x-origin-routing-key']).toBeUndefined();
  });

  it('fixes the origin at the first copy even when a message carries a token already', () => {
    const published = messageWith({ 'x-layover-publish': longString('tool') });

    expect(copyOf(published, stampOf(), 'q').headers['x-origin-queue']).toBe('orders');
  });
});

describe('knownOrigin', () => {
  it('knows nothing of a first delivery but the user', () => {
    expect(knownOrigin(messageWith(null, { userId: 'u' }))).toEqual({ userId: 'u' });
    expect(knownOrigin(messageWith(null))).toEqual({});
  });

  it('takes the route from the first death by name, else from the oldest', () => {
    const death = (queue: string, first?: true) => ({
      queue,
      reason: 'rejected',
      count: 1,
      exchange: `${queue}-exchange`,
      routingKeys: [`${queue}-key`],
      ...(first === undefined ? {} : { first }),
    });
    const base = messageWith(null);

    expect(knownOrigin({ ...base, deaths: [death('a', true), death('b')] })).toMatchObject({
      exchange: 'a-exchange',
      routingKey: 'a-key',
      deaths: 'a:rejected:1, b:rejected:1',
    });
    expect(knownOrigin({ ...base, deaths: [death('a'), death('b')] }).exchange).toBe('b-exchange');
  });

  it("is what a copy's headers say", () => {
    const back = nextDelivery(copyOfHeaders(null, { userId: 'u', expiration: '2000' }));

    expect(knownOrigin(back)).toEqual({
      queue: 'orders',
      userId: 'u',
      deadline: new Date('2026-03-01T10:00:02.000Z'),
    });
  });
});

describe('values that are raw bytes', () => {
  const raw = { bytes: [-1, 0, -2] };
  const headers = { sig: raw, meta: { keys: [raw, longString('text')] }, ints: [1, 2] };
  const bytes = Buffer.from([255, 0, 254]);

  it('leave as bytes, and the copy says where they are', () => {
    const wire = wireOf(copyOfHeaders(headers));

    expect(wire.get('sig')).toEqual({ tag: 'x', value: bytes });
    expect(wire.get('x-origin-bytes')).toEqual({
      tag: 'S',
      value: Buffer.from('[["meta","keys",0],["sig"]]'),
    });
  });

  it('look the same to the handler on every attempt', () => {
    let message = messageWith(headers);
    for (let lap = 0; lap < 3; lap += 1) {
      expect(message.headers).toEqual({
        sig: bytes,
        meta: { keys: [bytes, 'text'] },
        ints: [1, 2],
      });
      message = nextDelivery(copyOf(message, stampOf(), 'orders'));
    }
  });

  it.each([
    '[["ints"],["sig"',
    'null',
    '[[]]',
    '[[{}]]',
    '[["gone"],["ints",5],["ints","x"],["__proto__","x"],[0]]',
  ])('are left alone when the marker is %s', (marker) => {
    const message = messageWith({
      ints: [1, 2],
      'x-layover-publish': longString('t'),
      'x-origin-bytes': longString(marker),
    });

    expect(message.headers).toEqual({ ints: [1, 2] });
  });

  it('are marked as far as the marker fits', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`header-${i}`, raw]));

    const marker = copyOfHeaders(many).headers['x-origin-bytes'] as string;

    expect(Buffer.byteLength(marker)).toBeLessThanOrEqual(512);
    expect(JSON.parse(marker).length).toBeGreaterThan(20);
  });

  it('are believed only on our own copies', () => {
    const message = messageWith({ ints: [1, 2], 'x-origin-bytes': longString('[["ints"]]') });

    expect(message.headers).toEqual({ ints: [1, 2] });
  });
});

describe('a copy of a copy', () => {
  it('does not grow, and changes nothing of the sender', () => {
    fc.assert(
      fc.property(senderTable, (table) => {
        const stamp = stampOf({ labels: { tenant: 'acme' } });
        const first = copyOf(messageFromWire(table), stamp, 'orders');
        // Past the marker's limit some bytes come back as lists of numbers, as documented.
        fc.pre(String(first.headers['x-origin-bytes'] ?? '').length < 300);
        // In an event, a table whose one key `bytes` is a byte array looks like a long string.
        fc.pre(!looksLikeText(first.headers));
        const second = copyOf(nextDelivery(first), stamp, 'orders');

        const third = copyOf(nextDelivery(second), stamp, 'orders');

        expect(entries(second)).toEqual(entries(first));
        expect(entries(third)).toEqual(entries(first));
        expect(third.properties).toEqual(first.properties);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same when it was read with amqplib', () => {
    fc.assert(
      fc.property(senderTable, (table) => {
        const first = copyOf(messageFromWire(table), stampOf(), 'orders');
        const read = decodeDelivery(readBack(first), 'orders.parked', '/');

        const second = copyOf(read, stampOf(), 'orders');

        expect(second.properties).toEqual(first.properties);
        for (const [name, value] of wireOf(first)) {
          // amqplib ignores a `__proto__` that is no object, and knows no bigint.
          if (JSON.stringify([name, value], plain).includes('__proto__')) continue;
          if (JSON.stringify(value, plain).includes('"tag":"l"')) continue;
          expect(sorted(wireOf(second).get(name))).toEqual(sorted(value));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("keeps our block under 4096 bytes beside any sender's", () => {
    fc.assert(
      fc.property(strangerTable, fc.string({ maxLength: 3000 }), (table, message) => {
        const stamp = stampOf({ failure: { ...FAILURE, message }, labels: { a: message } });
        const { headers } = copyOf(messageFromWire(table), stamp, 'q');
        const own = Object.entries(headers).filter(([name]) => name.startsWith('x-'));

        expect(ownBlockBytes(Object.fromEntries(own))).toBeLessThan(4096);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what cannot be sent on', () => {
  const big = 'x'.repeat(70_000);

  function errorOf(message: Message): unknown {
    try {
      copyOf(message, stampOf(), 'q');
    } catch (error) {
      return error;
    }
    return undefined;
  }

  function withHeaders(headers: HeaderTable): Message {
    return { ...messageWith(null), headers };
  }

  it.each([
    ['one value over 64 KiB', withHeaders({ small: 'a', big }), 'HEADERS_TOO_LARGE', 'big', 70_009],
    [
      'many values that are too much together',
      withHeaders({ a: 'x'.repeat(30_000), b: 'x'.repeat(32_000) }),
      'HEADERS_TOO_LARGE',
      'b',
      32_007,
    ],
    [
      'a name over 255 bytes',
      withHeaders({ ['é'.repeat(128)]: 1 }),
      'HEADER_NAME_TOO_LONG',
      'é'.repeat(128),
      256,
    ],
    ['an integer over 64 bits', withHeaders({ n: 2n ** 64n }), 'HEADER_NOT_ENCODABLE', 'n', 0],
    [
      'a property over 255 bytes',
      { ...messageWith(null), properties: { correlationId: '\ufffd'.repeat(100) } },
      'PROPERTY_TOO_LONG',
      'correlationId',
      300,
    ],
  ] as const)('%s gives an error that names it', (_what, message, code, field, bytes) => {
    const error = errorOf(message);

    expect(error).toBeInstanceOf(CopyError);
    expect(error).toMatchObject({ name: 'CopyError', code, field, bytes });
    expect((error as Error).message).toContain(field.slice(0, 60));
    expect((error as Error).message).toMatch(/can only be copied without it\.$/);
  });

  it('is left out, and said to be, when the caller prefers that', () => {
    const message: Message = {
      ...withHeaders({ tenant: 'acme', big, ['n'.repeat(300)]: 1, huge: 2n ** 64n }),
      properties: { correlationId: 'c'.repeat(300), type: 'T' },
    };

    const copy = copyOf(message, stampOf(), 'orders.parked', { unsendable: 'drop' });

    expect(copy.properties).toEqual({ messageId: 'stamped-1', type: 'T' });
    expect(copy.headers.tenant).toBe('acme');
    expect(copy.headers.big).toBeUndefined();
    expect(copy.headers['x-origin-dropped']).toMatch(/^n{300}:300, huge:0, big:70009, correl/);
    expect(encodeHeaders(copy.headers).length).toBeLessThan(HEADERS_LIMIT_BYTES);
  });

  it('is remembered by later copies', () => {
    const first = copyOf(withHeaders({ big }), stampOf(), 'q', { unsendable: 'drop' });
    const second = copyOf(nextDelivery(first), stampOf(), 'q');

    expect(second.headers['x-origin-dropped']).toBe('big:70009');
  });

  it('changes nothing for a message that can be copied whole', () => {
    const message = messageWith({ tenant: longString('acme') });

    expect(copyOf(message, stampOf(), 'q', { unsendable: 'drop' })).toEqual(
      copyOf(message, stampOf(), 'q'),
    );
  });

  it('fits into what amqplib can encode, up to the last byte we allow', () => {
    const full = withHeaders({ a: 'x'.repeat(61_427) });
    const over = withHeaders({ a: 'x'.repeat(61_430) });

    const copy = copyOf(full, stampOf({ failure: { ...FAILURE, message: 'm'.repeat(1024) } }), 'q');

    expect(encodeHeaders(copy.headers).length).toBeLessThan(HEADERS_LIMIT_BYTES);
    expect(errorOf(over)).toMatchObject({ code: 'HEADERS_TOO_LARGE' });
  });

  it('includes tables nested deeper than the decoders let through', () => {
    const deep = JSON.parse('['.repeat(1000) + ']'.repeat(1000));

    expect(errorOf(withHeaders({ deep }))).toMatchObject({
      code: 'HEADER_NOT_ENCODABLE',
      field: 'deep',
    });
  });

  it("never includes headers of ours or the broker's, however they got there", () => {
    const { headers } = copyOf(
      withHeaders({ 'x-death': big, 'x-failure-class': 'forged', CC: ['a'] }),
      stampOf(),
      'q',
    );

    expect(headers['x-failure-class']).toBe('transient');
    expect(headers).not.toHaveProperty('x-death');
    expect(headers).not.toHaveProperty('CC');
  });
});

function entries(copy: { headers: HeaderTable }): unknown {
  return [...wireOf(copy as never)].map(([name, value]) => [name, sorted(value)]).sort();
}

/** Tables sorted by name: a key `!` changes its place, since it is handed over as an inherited one. */
function sorted(value: WireValue | undefined): unknown {
  if (value?.tag === 'A') return { ...value, value: value.value.map(sorted) };
  if (value?.tag !== 'F') return value;
  const table: WireTable = value.value;
  return { ...value, value: new Map(table.map(([name, item]) => [name, sorted(item)])) };
}

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function looksLikeText(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  const values = Object.values(value);
  const { bytes } = value as { bytes?: unknown };
  return (bytes instanceof Uint8Array && values.length === 1) || values.some(looksLikeText);
}
