import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../functions/replay/fingerprint.ts';
import { read, unreadable } from '../../../functions/replay/guards.ts';
import {
  automaticGuards,
  type Memory,
  manualGuards,
} from '../../../functions/replay/message-guards.ts';
import { parkedFacts, stampedId } from '../../../functions/replay/parked-facts.ts';
import { aMessage } from '../../helpers/messages.ts';
import { strangerTable } from '../message/amqp-arbitrary.ts';
import { NOW, someFacts } from './facts.ts';

const flow = {
  queue: 'orders',
  bindings: [{ exchange: 'shop', type: 'topic', routingKey: 'order.*' }],
} as const;

const failure = {
  class: 'transient',
  rule: 'network',
  signature: 's-1',
  name: 'Error',
  message: 'connect ECONNREFUSED',
};

describe('what a parked message says of itself', () => {
  it('our own copy: class, signature and time of the last failure', () => {
    const message = aMessage({
      state: {
        own: true,
        failure,
        lastAt: NOW,
        origin: { queue: 'orders' },
        replay: { count: 2, run: 'r-1' },
      },
    });

    expect(parkedFacts(message, 'f', flow)).toMatchObject({
      messageId: 'm-1',
      class: 'transient',
      signature: 's-1',
      rule: 'network',
      parkedAt: NOW,
      replayCount: 2,
      lastRun: 'r-1',
      origin: { kind: 'ours' },
    });
  });

  it.each([
    ['delivery_limit', 'undelivered'],
    ['expired', 'stale'],
    ['maxlen', 'backpressure'],
    ['rejected', 'unknown'],
  ])("the broker's %s wins over headers of an earlier failure: %s", (reason, expected) => {
    const message = aMessage({
      deaths: [
        { queue: 'orders', reason, count: 1, routingKeys: ['orders'], timeSeconds: 1_780_315_200 },
      ],
      state: { own: true, failure, lastAt: new Date(0), origin: { queue: 'orders' } },
    });

    expect(parkedFacts(message, 'f', flow)).toMatchObject({
      class: expected,
      signature: `broker:${reason}`,
      rule: `broker:${reason}`,
      parkedAt: new Date(1_780_315_200_000),
      origin: { kind: 'broker' },
    });
  });

  it('a dead letter of the isolated queue is the flow’s as well', () => {
    const deaths = [
      { queue: 'orders.isolated', reason: 'delivery_limit', count: 1, routingKeys: [] },
    ];

    expect(parkedFacts(aMessage({ deaths }), 'f', flow)).toMatchObject({
      class: 'undelivered',
      origin: { kind: 'broker' },
      parkedAt: undefined,
    });
  });

  it('a dead letter of somebody else’s queue belongs elsewhere', () => {
    const deaths = [{ queue: 'invoices', reason: 'rejected', count: 1, routingKeys: [] }];

    expect(parkedFacts(aMessage({ deaths }), 'f', flow)).toMatchObject({
      class: 'unknown',
      origin: { kind: 'elsewhere', route: 'invoices' },
    });
  });

  it('our copy made for another queue belongs there', () => {
    const message = aMessage({ state: { own: true, failure, origin: { queue: 'invoices' } } });

    expect(parkedFacts(message, 'f', flow).origin).toEqual({
      kind: 'elsewhere',
      route: 'invoices',
    });
  });

  it.each([
    ['shop', 'order.placed', true],
    ['shop', 'order.placed.late', false],
    ['shop', 'refund.placed', false],
    ['other', 'order.placed', false],
    ['', 'orders', true],
    ['', 'invoices', false],
  ])('Spring’s recoverer, from exchange %j with key %j: known %s', (exchange, key, known) => {
    const headers = Object.assign(Object.create(null), {
      'x-exception-message': 'boom',
      'x-exception-stacktrace': 'java.net.SocketTimeoutException: boom\n\tat …',
      'x-original-exchange': exchange,
      'x-original-routingKey': key,
    });
    const facts = parkedFacts(aMessage({ headers }), 'f', flow);

    expect(facts).toMatchObject({
      class: 'unknown',
      signature: 'spring:java.net.SocketTimeoutException',
      errorName: 'java.net.SocketTimeoutException',
      errorMessage: 'boom',
    });
    expect(facts.origin).toMatchObject({ kind: 'spring', known });
  });

  it.each([
    ['#', 'a.b.c', true],
    ['order.#', 'order', true],
    ['order.#.late', 'order.placed.very.late', true],
    ['order.#.late', 'order.placed', false],
    ['*', 'order.placed', false],
  ])('the topic pattern %s and the key %s: %s', (routingKey, key, known) => {
    const headers = Object.assign(Object.create(null), {
      'x-original-exchange': 'shop',
      'x-original-routingKey': key,
    });
    const bound = { ...flow, bindings: [{ exchange: 'shop', type: 'topic', routingKey }] } as const;

    expect(parkedFacts(aMessage({ headers }), 'f', bound).origin).toMatchObject({ known });
  });

  it('a stranger’s message says nothing', () => {
    expect(parkedFacts(aMessage(), 'f', flow)).toMatchObject({
      class: 'unknown',
      signature: 'unknown',
      parkedAt: undefined,
      origin: { kind: 'unknown' },
    });
  });

  it('without a messageId the id a replay would stamp is the same each time', () => {
    const message = aMessage({ properties: {} });

    expect(parkedFacts(message, 'abc', flow).messageId).toBe(stampedId('abc'));
    expect(stampedId('abc')).toBe(stampedId('abc'));
  });
});

describe('the fingerprint', () => {
  const delivery = (headers: Record<string, unknown> = {}, content = 'body') => ({
    content: Buffer.from(content),
    properties: { messageId: 'm-1', headers },
  });

  it('stays when the broker delivers the message again', () => {
    const counted = delivery({ 'x-delivery-count': 17, 'x-acquired-count': 40 });

    expect(fingerprintOf(counted)).toBe(fingerprintOf(delivery()));
  });

  it.each([
    ['another body', delivery({}, 'other')],
    ['a later failure', delivery({ 'x-failure-last-at': '2026-06-01T12:00:00Z' })],
    ['another replay', delivery({ 'x-replay-count': 1 })],
    ['another copy', delivery({ 'x-layover-publish': 'token-2' })],
    ['another id', { content: Buffer.from('body'), properties: { messageId: 'm-2' } }],
  ])('changes with %s', (_name, other) => {
    expect(fingerprintOf(other)).not.toBe(fingerprintOf(delivery()));
  });

  it('is short text, also of a message with nothing in it', () => {
    const empty = { content: Buffer.alloc(0), properties: { messageId: null, headers: undefined } };

    expect(fingerprintOf(empty)).toMatch(/^[\w-]{24}$/);
  });

  it.each(['x-layover-publish', 'x-failure-last-at', 'x-replay-count'])(
    'is read of a message whose %s is a table that calls itself a text, or a list of such',
    (name) => {
      const table = Object.assign(Object.create(null), { toString: 'x', inspect: 'y', '!': 'z' });
      const texts = [
        table,
        { toString: 'x' },
        [table],
        [[{ toString: 1 }]],
        7n,
        { a: 1 },
        { a: 2 },
      ];

      const prints = texts.map((value) => fingerprintOf(delivery({ [name]: value })));

      expect(prints.every((print) => /^[\w-]{24}$/.test(print))).toBe(true);
      expect(new Set(prints).size).toBe(texts.length);
      expect(texts.map((value) => fingerprintOf(delivery({ [name]: value })))).toEqual(prints);
    },
  );

  it('and the facts are read of whatever a stranger sends', () => {
    fc.assert(
      fc.property(strangerTable, strangerTable, (headers, table) => {
        const hostile = { ...headers, 'x-layover-publish': table, 'x-failure-last-at': [table] };

        const print = fingerprintOf(delivery(hostile));

        expect(print).toMatch(/^[\w-]{24}$/);
      }),
    );
  });
});

describe('the guards of one message', () => {
  const settings = {
    automatic: ['transient'],
    minAgeMs: 900_000,
    maxAgeMs: 86_400_000,
    lifetimeCap: 3,
    batch: 100,
    hourlyBudget: 500,
    ratePerSecond: 10,
    workDepthCeiling: 1_000,
    quietAlarms: [],
    acceptFrom: [],
  } as const;
  const nothing: Memory = {
    relapses: read(new Map()),
    doubts: read(new Map()),
    moved: read(new Map()),
  };

  it('hold for a transient failure of the right age', () => {
    expect(automaticGuards(someFacts(), settings, nothing, NOW.getTime())).toEqual({ holds: true });
  });

  it.each([
    ['class', someFacts({ class: 'invalid' }), nothing],
    ['origin', someFacts({ origin: { kind: 'unknown' } }), nothing],
    ['lifetime-cap', someFacts({ replayCount: 3 }), nothing],
    ['min-age', someFacts({ parkedAt: NOW }), nothing],
    ['max-age', someFacts({ parkedAt: new Date(0) }), nothing],
    ['min-age', someFacts({ parkedAt: undefined }), nothing],
    [
      'signature-backoff',
      someFacts(),
      {
        ...nothing,
        relapses: read(new Map([['s-1', { failures: 1, lastFailedAtMs: NOW.getTime() }]])),
      },
    ],
    ['signature-backoff', someFacts(), { ...nothing, relapses: unreadable('timeout') }],
    ['uncertain', someFacts(), { ...nothing, doubts: read(new Map([['f-1', 'r-1']])) }],
    ['uncertain', someFacts(), { ...nothing, doubts: unreadable('timeout') }],
    ['uncertain', someFacts(), { ...nothing, moved: read(new Map([['f-1', 'r-1']])) }],
    ['uncertain', someFacts(), { ...nothing, moved: unreadable('timeout') }],
  ] as const)('%s says no', (guard, facts, memory) => {
    const answer = automaticGuards(facts, settings, memory as Memory, NOW.getTime());

    expect(answer).toMatchObject({ holds: false, guard });
  });

  it('mistake no stranger for a message that was moved', () => {
    const memory: Memory = { ...nothing, moved: read(new Map([['f-1', 'r-1']])) };

    const answer = automaticGuards(someFacts({ own: false }), settings, memory, NOW.getTime());

    expect(answer).toEqual({ holds: true });
  });

  it('leave a person’s choice alone, except for doubt and strangers', () => {
    const old = someFacts({ class: 'invalid', replayCount: 9, parkedAt: new Date(0) });
    const doubtful: Memory = { ...nothing, doubts: read(new Map([['f-1', 'r-1']])) };
    const stranger = someFacts({ origin: { kind: 'unknown' } });

    expect(manualGuards(old, settings, { ramp: true }, nothing)).toEqual({ holds: true });
    expect(manualGuards(someFacts(), settings, { ramp: true }, doubtful)).toMatchObject({
      guard: 'uncertain',
    });
    expect(manualGuards(stranger, settings, { ramp: true }, nothing)).toMatchObject({
      guard: 'origin',
    });
  });

  it('take strangers from where the flow accepts them, by hand and automatically', () => {
    const stranger = someFacts({ origin: { kind: 'elsewhere', route: 'legacy.orders' } });
    const accepting = { ...settings, acceptFrom: ['legacy.orders'] };

    expect(manualGuards(stranger, accepting, { ramp: true }, nothing)).toEqual({ holds: true });
    expect(automaticGuards(stranger, accepting, nothing, NOW.getTime())).toEqual({ holds: true });
  });

  it('give way where the person says so', () => {
    const doubtful: Memory = { ...nothing, doubts: unreadable('timeout') };
    const stranger = someFacts({ origin: { kind: 'unknown' } });
    const options = { ramp: true, includeUncertain: true, acceptUnknown: true };

    expect(manualGuards(stranger, settings, options, doubtful)).toEqual({ holds: true });
  });
});
