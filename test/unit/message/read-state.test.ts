import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCount, readMoment } from '../../../functions/message/clamp.ts';
import { decodeHeaderJson } from '../../../functions/message/decode-header-json.ts';
import {
  BROKER_HEADERS,
  HEADERS,
  isBrokerHeader,
  isForeignFailureHeader,
  isOwnHeader,
} from '../../../functions/message/headers.ts';
import { COUNT_LIMIT, TEXT_LIMIT_BYTES } from '../../../functions/message/limits.ts';
import { readState } from '../../../functions/message/read-state.ts';
import type { HeaderValue } from '../../../functions/message/types.ts';
import { strangerTable } from './amqp-arbitrary.ts';
import { longString, messageWith } from './samples.ts';
import { jvmJson } from './wire.ts';

const OWN_BLOCK = {
  'x-layover-publish': 'token-1',
  'x-retry-count': 2,
  'x-retry-not-before': '2026-03-01T11:00:00.000Z',
  'x-failure-class': 'transient',
  'x-failure-rule': 'http-503',
  'x-failure-signature': 'a1b2',
  'x-failure-name': 'PaymentError',
  'x-failure-code': 'E503',
  'x-failure-message': 'no answer',
  'x-failure-first-at': '2026-03-01T10:00:00.000Z',
  'x-failure-last-at': '2026-03-01T10:05:00.000Z',
  'x-failure-consumer': 'orders/12/req-1',
  'x-failure-labels': '{"tenant":"acme"}',
  'x-failure-suspect': true,
  'x-origin-queue': 'orders',
  'x-origin-exchange': 'shop',
  'x-origin-routing-key': 'order.created',
  'x-origin-user-id': 'shop-api',
  'x-origin-deadline': '2026-03-01T12:00:00.000Z',
  'x-origin-deaths': 'a:rejected:1',
  'x-replay-count': 3,
  'x-replay-run': 'run-1',
  'x-replay-at': '2026-03-01T09:00:00.000Z',
  'x-replay-by': 'arn:aws:iam::123456789012:user/kim',
  'x-replay-reason': 'payment is back',
  'x-replay-ticket': 'INC-7',
} as const;

describe('readState', () => {
  it('reads the whole block of one of our copies', () => {
    const { state, senderHeaders } = readState({ ...OWN_BLOCK, tenant: 'acme' });

    expect(senderHeaders).toEqual({ tenant: 'acme' });
    expect(state).toEqual({
      own: true,
      retryCount: 2,
      notBefore: new Date('2026-03-01T11:00:00.000Z'),
      failure: {
        class: 'transient',
        rule: 'http-503',
        signature: 'a1b2',
        name: 'PaymentError',
        code: 'E503',
        message: 'no answer',
      },
      firstAt: new Date('2026-03-01T10:00:00.000Z'),
      lastAt: new Date('2026-03-01T10:05:00.000Z'),
      consumer: 'orders/12/req-1',
      labels: { tenant: 'acme' },
      suspect: true,
      origin: {
        queue: 'orders',
        exchange: 'shop',
        routingKey: 'order.created',
        userId: 'shop-api',
        deadline: new Date('2026-03-01T12:00:00.000Z'),
        deaths: 'a:rejected:1',
      },
      replay: {
        count: 3,
        run: 'run-1',
        at: new Date('2026-03-01T09:00:00.000Z'),
        by: 'arn:aws:iam::123456789012:user/kim',
        reason: 'payment is back',
        ticket: 'INC-7',
      },
    });
  });

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['a number', 1],
    ['null', null],
  ])('case 50: believes only the retry count when the token is %s', (_what, token) => {
    const { 'x-layover-publish': _token, ...forged } = OWN_BLOCK;
    const headers = token === undefined ? forged : { ...forged, 'x-layover-publish': token };

    const { state, senderHeaders } = readState(headers);

    expect(senderHeaders).toEqual({});
    expect(state).toEqual({
      own: false,
      retryCount: 2,
      suspect: false,
      origin: {},
      replay: { count: 0 },
    });
  });

  it('has a state for a message that was never seen', () => {
    expect(readState({})).toEqual({
      state: { own: false, retryCount: 0, suspect: false, origin: {}, replay: { count: 0 } },
      senderHeaders: {},
      deaths: [],
    });
  });

  it("keeps a sender's headers that only look like ours", () => {
    const headers = {
      'x-tenant': 1,
      'x-origin-country': 2,
      'x-failure-domain': 3,
      'x-replay': 4,
      'X-Retry-Count': 5,
      'x-exception-message': 6,
      cc: 7,
    };

    expect(readState(headers).senderHeaders).toEqual(headers);
  });

  it("removes the broker's headers, and CC and BCC", () => {
    const headers = {
      'x-death': [],
      'x-first-death-queue': 'a',
      'x-first-death-exchange': 'a',
      'x-last-death-reason': 'a',
      'x-delivery-count': 1,
      'x-acquired-count': 1,
      CC: ['a'],
      BCC: ['b'],
    };

    expect(readState(headers).senderHeaders).toEqual({});
  });

  it('cuts texts that are too long for the block', () => {
    const long = '€'.repeat(2000);

    const { state } = readState({
      ...OWN_BLOCK,
      'x-failure-message': long,
      'x-failure-name': long,
      'x-replay-reason': long,
      'x-origin-queue': long,
    });

    expect(Buffer.byteLength(state.failure?.message ?? '')).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(state.failure?.name ?? '')).toBeLessThanOrEqual(128);
    expect(Buffer.byteLength(state.replay.reason ?? '')).toBeLessThanOrEqual(512);
    expect(Buffer.byteLength(state.origin.queue ?? '')).toBeLessThanOrEqual(255);
  });

  it.each([
    ['no JSON', '{tenant'],
    ['a list', '["a"]'],
    ['null', 'null'],
    ['too long', JSON.stringify({ a: 'x'.repeat(512) })],
    ['a number', 5],
  ])('has no labels when the header is %s', (_what, labels) => {
    expect(readState({ ...OWN_BLOCK, 'x-failure-labels': labels }).state.labels).toBeUndefined();
  });

  it('keeps the labels that are texts, and no prototype', () => {
    const { state } = readState({
      ...OWN_BLOCK,
      'x-failure-labels': '{"a":"1","n":2,"__proto__":"p","o":{}}',
    });

    expect(Object.entries(state.labels ?? {})).toEqual([
      ['a', '1'],
      ['__proto__', 'p'],
    ]);
    expect(Object.getPrototypeOf(state.labels)).toBeNull();
  });

  it.each([
    ['x-failure-class', ''],
    ['x-failure-class', 7],
    ['x-failure-class', null],
  ])('has no failure when %s is %j', (name, value) => {
    expect(readState({ ...OWN_BLOCK, [name]: value }).state.failure).toBeUndefined();
  });

  it.each(['true', 1, null, [true]])('a mark that is %j is no mark', (value) => {
    expect(readState({ ...OWN_BLOCK, 'x-failure-suspect': value }).state.suspect).toBe(false);
  });

  it('is total over what strangers send, and clamps all of it', () => {
    fc.assert(
      fc.property(strangerTable, (table) => {
        const { headers } = decodeHeaderJson(JSON.parse(jvmJson(table)));

        const { state, senderHeaders, deliveryCount, acquiredCount } = readState(headers);

        for (const count of [state.retryCount, state.replay.count, deliveryCount, acquiredCount]) {
          if (count === undefined) continue;
          expect(Number.isInteger(count) && count >= 0 && count <= COUNT_LIMIT).toBe(true);
        }
        expect(Object.keys(senderHeaders).filter(isOwnHeader)).toEqual([]);
        expect(Object.keys(senderHeaders).filter(isBrokerHeader)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('readCount', () => {
  it.each([
    [-1, 0],
    ['-1', 0],
    [-(10 ** 30), 0],
    ['NaN', COUNT_LIMIT],
    ['7abc', COUNT_LIMIT],
    [1e9, COUNT_LIMIT],
    [Number.POSITIVE_INFINITY, COUNT_LIMIT],
    [Number.NaN, COUNT_LIMIT],
    [2.5, COUNT_LIMIT],
    [[1], COUNT_LIMIT],
    [{}, COUNT_LIMIT],
    [true, COUNT_LIMIT],
    ['', COUNT_LIMIT],
    ['1e3', COUNT_LIMIT],
    ['0x10', COUNT_LIMIT],
    [Buffer.from('2'), COUNT_LIMIT],
    [{ '!': 'timestamp', value: 2 }, COUNT_LIMIT],
    [{ '!': 'decimal', value: { places: 0, digits: 2 } }, COUNT_LIMIT],
  ] as [HeaderValue, number][])('case 50: clamps %j to %d', (value, expected) => {
    expect(readCount(value)).toBe(expected);
  });

  it.each([
    [2, 2],
    [2n, 2],
    ['2', 2],
    [' 2 ', 2],
    ['002', 2],
    [{ '!': 'int', value: 2 }, 2],
    [{ '!': 'long', value: 2n }, 2],
    [{ '!': 'double', value: 2 }, 2],
    [undefined, 0],
    [null, 0],
    [COUNT_LIMIT, COUNT_LIMIT],
  ] as [HeaderValue | undefined, number][])('case 42: reads %s as %d', (value, expected) => {
    expect(readCount(value)).toBe(expected);
  });

  it.each([
    ['byte, short, int, long', 2],
    ['double', JSON.parse('2.0')],
    ['string', longString('2')],
  ])('case 42: takes a count sent as %s', (_type, json) => {
    expect(messageWith({ 'x-retry-count': json }).state.retryCount).toBe(2);
  });

  it('never leaves its range', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.bigInt(), fc.string()), (value) => {
        const count = readCount(value);
        expect(Number.isInteger(count) && count >= 0 && count <= COUNT_LIMIT).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('readMoment', () => {
  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.123456789Z', '2026-03-01T10:00:00.123Z'],
    [{ '!': 'timestamp', value: 7 }, '1970-01-01T00:00:07.000Z'],
  ] as [HeaderValue, string][])('reads %j', (value, expected) => {
    expect(readMoment(value)?.toISOString()).toBe(expected);
  });

  it.each([
    '2026-03-01T10:00:00',
    '2026-03-01T10:00:00+01:00',
    '2026-13-01T10:00:00Z',
    'soon',
    '1',
    7,
    null,
    undefined,
    { '!': 'timestamp', value: 1e15 },
    { '!': 'timestamp', value: -1 },
    { '!': 'int', value: 7 },
  ] as (HeaderValue | undefined)[])('takes %j for no moment', (value) => {
    expect(readMoment(value)).toBeUndefined();
  });
});

describe('readState, deaths', () => {
  const death = (queue: string, reason: string, rest: object = {}) => ({ queue, reason, ...rest });

  it('takes the last death by name for the newest, whatever the order of the list', () => {
    const { deaths } = readState({
      'x-death': [death('wait', 'expired', { count: 2 }), death('work', 'delivery_limit')],
      'x-last-death-queue': 'work',
      'x-last-death-reason': 'delivery_limit',
    });

    expect(deaths.map(({ queue, count }) => `${queue}:${count}`)).toEqual(['work:1', 'wait:2']);
  });

  it('marks the first death by name', () => {
    const { deaths } = readState({
      'x-death': [death('a', 'expired'), death('b', 'rejected')],
      'x-first-death-queue': 'a',
      'x-first-death-reason': 'expired',
    });

    expect(deaths.map(({ first }) => first)).toEqual([true, undefined]);
  });

  it.each([
    ['no list', 'forged'],
    ['a list of texts', ['a', 1, null, ['x']]],
    ['entries without a reason', [{ queue: 'a' }]],
    ['a queue that is no text', [{ queue: 1, reason: 'rejected' }]],
    ['a queue too long for a broker', [{ queue: 'q'.repeat(256), reason: 'rejected' }]],
  ])('skips %s', (_what, forged) => {
    expect(readState({ 'x-death': forged }).deaths).toEqual([]);
  });

  it('reads 64 deaths at most', () => {
    const forged = Array.from({ length: 5000 }, (_, index) => death(`q${index}`, 'rejected'));

    expect(readState({ 'x-death': forged }).deaths).toHaveLength(64);
  });

  it.each([-3, 'x', null, 2.5])('counts a death once when its count is %j', (count) => {
    expect(readState({ 'x-death': [death('a', 'expired', { count })] }).deaths[0]?.count).toBe(1);
  });

  it.each([-1, 'x', null, [1], 1.5])('case 54: has no delivery count when it is %j', (value) => {
    const read = readState({ 'x-delivery-count': value, 'x-acquired-count': value });

    expect(read.deliveryCount).toBeUndefined();
    expect(read.acquiredCount).toBeUndefined();
  });
});

describe('names', () => {
  it('belong to one group each', () => {
    const names = [...Object.values(HEADERS), ...Object.values(BROKER_HEADERS), 'CC', 'BCC'];

    for (const name of names) {
      const groups = [isOwnHeader(name), isBrokerHeader(name), isForeignFailureHeader(name)];
      expect(groups.filter(Boolean)).toHaveLength(1);
    }
  });

  it.each([
    'x-exception-message',
    'x-exception-stacktrace',
    'x-original-exchange',
    'x-original-routingKey',
    'x-error-message',
    'retry_count',
    'x-retries',
  ])("%s is another framework's", (name) => {
    expect(isForeignFailureHeader(name)).toBe(true);
  });

  it.each(['tenant', 'x-tenant', 'x-origin', 'traceparent', 'x-first-name'])(
    "%s is the sender's",
    (name) => {
      expect(isOwnHeader(name) || isBrokerHeader(name) || isForeignFailureHeader(name)).toBe(false);
    },
  );

  it('have a limit each, when their value is text', () => {
    expect(Object.keys(TEXT_LIMIT_BYTES).every(isOwnHeader)).toBe(true);
  });
});
