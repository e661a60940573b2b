import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { classify } from '../../../functions/policy/classify.ts';
import { Discard, Park, RetryLater } from '../../../functions/policy/control-errors.ts';
import type { ErrorFacts, FailureClass, Rule } from '../../../functions/policy/types.ts';
import { aggregate, err, fetchFailed, sys } from './tables/row.ts';

const now = new Date('2026-01-01T00:00:00Z');
const by = (thrown: unknown, rules: readonly Rule[] = []) =>
  classify(thrown, { rules, sensitive: [], now });

const flowRule = (
  name: string,
  failureClass: FailureClass,
  when: (e: ErrorFacts) => boolean,
): Rule => ({
  name,
  class: failureClass,
  when,
});
const always = flowRule('orders.always', 'duplicate', () => true);

describe('explicit words of the handler', () => {
  it('go before the flow’s rules', () => {
    expect(by(new Park('closed'), [always])).toMatchObject({
      rule: 'handler.park',
      class: 'invalid',
    });
  });

  it('RetryLater carries its wait and the default class transient', () => {
    expect(by(new RetryLater({ after: '5m' }))).toMatchObject({
      class: 'transient',
      rule: 'handler.retry-later',
      explicit: { kind: 'retry', afterMs: 300_000 },
      name: 'RetryLater',
    });
  });

  it('Park carries its class and reason', () => {
    const failure = by(new Park('account closed', { class: 'stale' }));

    expect(failure).toMatchObject({
      class: 'stale',
      explicit: { kind: 'park' },
      message: 'account closed',
    });
  });

  it('Discard says so', () => {
    expect(by(new Discard('cancelled'))).toMatchObject({
      rule: 'handler.discard',
      class: 'stale',
      explicit: { kind: 'discard' },
      message: 'cancelled',
    });
  });

  it('count when a wrapper hides them', () => {
    const wrapped = new Error('step 2 failed', { cause: new RetryLater({ after: 1_500 }) });

    expect(by(wrapped).explicit).toEqual({ kind: 'retry', afterMs: 1_500 });
  });

  it('the outermost one counts', () => {
    const failure = by(new Park('enough', { cause: new RetryLater({ after: '5m' }) }));

    expect(failure.explicit).toEqual({ kind: 'park' });
  });

  it('tell the cause in the message and keep its Retry-After as a floor', () => {
    const cause = err('HttpError', 'answered 429', {
      status: 429,
      headers: { 'retry-after': '60' },
    });

    const failure = by(new RetryLater({ cause, message: 'limited' }));

    expect(failure).toMatchObject({ message: 'limited: answered 429', retryAfterMs: 60_000 });
    expect(failure.explicit).toEqual({ kind: 'retry' });
  });

  it('built wrongly are a bug of ours, unless what they carry can be tried again', () => {
    const build = (cause?: unknown) => {
      try {
        return new RetryLater({ after: '5 minutes', cause });
      } catch (error) {
        return error;
      }
    };

    expect(by(build())).toMatchObject({ class: 'bug', rule: 'programming.control-error' });
    expect(by(build(sys('ECONNRESET')))).toMatchObject({
      class: 'transient',
      rule: 'network.reset',
    });
  });
});

describe('the flow’s own rules', () => {
  it('go before the default ones, in their order', () => {
    const first = flowRule('orders.first', 'stale', ({ code }) => code === 'ECONNRESET');

    expect(by(sys('ECONNRESET'), [first, always])).toMatchObject({
      class: 'stale',
      rule: 'orders.first',
    });
    expect(by(sys('EPIPE'), [first, always])).toMatchObject({ rule: 'orders.always' });
  });

  it('case 26: may say duplicate for a unique violation, which is invalid otherwise', () => {
    const clash = err('error', 'duplicate key value', {
      code: '23505',
      constraint: 'orders_id_key',
    });
    const onId = flowRule(
      'orders.seen',
      'duplicate',
      ({ fields }) => fields.constraint === 'orders_id_key',
    );

    expect(by(clash).class).toBe('invalid');
    expect(by(clash, [onId])).toMatchObject({ class: 'duplicate', rule: 'orders.seen' });
  });

  it('see every link, with plain data of the answer', () => {
    const thrown = new Error('charge failed', {
      cause: err('AxiosError', 'x', { response: { status: 402, data: { reason: 'funds' } } }),
    });
    const funds = flowRule('orders.funds', 'stale', ({ fields }) => {
      const response = fields.response as { data?: { reason?: string } } | undefined;
      return response?.data?.reason === 'funds';
    });

    expect(by(thrown, [funds]).rule).toBe('orders.funds');
  });

  it('that throw are skipped and noted', () => {
    const broken = flowRule('orders.broken', 'invalid', () => {
      throw new Error('oops password=hunter2');
    });

    const failure = by(sys('ECONNRESET'), [broken]);

    expect(failure).toMatchObject({ class: 'transient', rule: 'network.reset' });
    expect(failure.notes).toEqual(['rule orders.broken was skipped: Error: oops password=***']);
  });

  it('that throw for one link still hold for another', () => {
    const picky = flowRule('orders.picky', 'stale', ({ fields }) => {
      return (fields.response as { data: { reason: string } }).data.reason === 'gone';
    });
    const thrown = new Error('x', {
      cause: err('E', 'y', { response: { data: { reason: 'gone' } } }),
    });

    expect(by(thrown, [picky])).toMatchObject({ class: 'stale', rule: 'orders.picky' });
  });

  it('that throw something unreadable are noted all the same', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const broken = flowRule('orders.broken', 'invalid', () => {
      throw proxy;
    });

    expect(by('boom', [broken]).notes?.[0]).toMatch(/^rule orders\.broken was skipped/);
  });

  it('can’t change the facts for the next rule', () => {
    const vandal = flowRule('orders.vandal', 'invalid', (error) => {
      (error as { code?: string }).code = 'EPIPE';
      return false;
    });

    const failure = by(sys('ECONNREFUSED'), [vandal]);

    expect(failure.rule).toBe('network.refused');
    expect(failure.notes?.[0]).toMatch(/read only|not extensible|Cannot assign/);
  });

  describe('that are async', () => {
    const unheard: unknown[] = [];
    const listen = (reason: unknown) => unheard.push(reason);
    beforeEach(() => void process.on('unhandledRejection', listen));
    afterEach(() => void process.off('unhandledRejection', listen));

    it('are refused, and their rejection ends nothing', async () => {
      const when = (async () => Promise.reject(new Error('late'))) as unknown as () => boolean;

      const failure = by(sys('ECONNRESET'), [{ name: 'orders.async', class: 'invalid', when }]);
      await new Promise((resolve) => setImmediate(resolve));

      expect(failure.rule).toBe('network.reset');
      expect(failure.notes?.[0]).toContain('promise');
      expect(unheard).toEqual([]);
    });
  });
});

describe('precedence of the default rules', () => {
  const zod = () => z.object({ a: z.string() }).safeParse({}).error;

  it.each<[string, () => unknown, FailureClass, string]>([
    [
      'case 30: validation before the network error around it',
      () => Object.assign(sys('ECONNRESET'), { cause: zod() }),
      'invalid',
      'validation.issues',
    ],
    [
      'validation before the status around it',
      () => err('HttpError', 'x', { status: 500, cause: zod() }),
      'invalid',
      'validation.issues',
    ],
    [
      'a certificate before the network error around it',
      () => fetchFailed(err('Error', 'x', { code: 'CERT_HAS_EXPIRED' })),
      'security',
      'tls.certificate',
    ],
    [
      'a database’s word before a status around it',
      () => err('HttpError', 'x', { status: 400, cause: err('error', 'x', { code: '40P01' }) }),
      'transient',
      'postgres.deadlock',
    ],
    [
      'the network below a status is its cause',
      () => err('HttpError', 'x', { status: 400, cause: sys('ECONNREFUSED') }),
      'transient',
      'network.refused',
    ],
    [
      'a 429 below somebody’s own 500',
      () => err('HttpError', 'x', { status: 500, cause: err('HttpError', 'y', { status: 429 }) }),
      'backpressure',
      'http.too-many-requests',
    ],
    [
      'a 401 below somebody’s own 502',
      () => err('HttpError', 'x', { status: 502, cause: err('HttpError', 'y', { status: 401 }) }),
      'security',
      'http.unauthorized',
    ],
    [
      'a network error inside a TypeError',
      () => new TypeError('fetch failed', { cause: sys('ECONNRESET') }),
      'transient',
      'network.reset',
    ],
    [
      'a bug below a plain wrapper',
      () => new Error('x', { cause: new TypeError('y is not a function') }),
      'bug',
      'programming.type-error',
    ],
    [
      'a permanent member of an aggregate',
      () => aggregate([sys('ECONNRESET'), zod()]),
      'invalid',
      'validation.issues',
    ],
  ])('%s', (_title, make, failureClass, rule) => {
    const answers = Array.from({ length: 5 }, () => by(make()));

    for (const answer of answers) {
      expect(answer).toMatchObject({ class: failureClass, rule });
    }
  });

  it('the members of an aggregate may come in any order', () => {
    const members = [sys('ECONNRESET'), err('HttpError', 'x', { status: 401 }), new TypeError('y')];
    const orders = [members, [...members].reverse()];

    expect(new Set(orders.map((order) => by(aggregate(order)).rule)).size).toBe(1);
  });
});

describe('what is told of a failure', () => {
  it('case 60: an AggregateError without a message tells its members', () => {
    const members = ['::1', '127.0.0.1'].map((host) =>
      err('Error', `connect ECONNREFUSED ${host}:5432`, { code: 'ECONNREFUSED' }),
    );
    const plain = by(aggregate(members, ''));
    const coded = by(Object.assign(aggregate(members, ''), { code: 'ECONNREFUSED' }));

    for (const failure of [plain, coded]) {
      expect(failure).toMatchObject({ class: 'transient', code: 'ECONNREFUSED' });
      expect(failure.message).toBe(
        'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
      );
    }
  });

  it('case 60: members without messages leave name and codes', () => {
    const failure = by(aggregate([err('Error', '', { code: 'ECONNREFUSED' })], ''));

    expect(failure.message).toBe('AggregateError ECONNREFUSED');
  });

  it('case 60: fetch’s cause is told behind it', () => {
    const failure = by(fetchFailed(sys('ECONNREFUSED')));

    expect(failure).toMatchObject({
      name: 'TypeError',
      code: 'ECONNREFUSED',
      message: 'fetch failed: connect ECONNREFUSED 127.0.0.1:5432',
    });
  });

  it('a wrapper without a name of its own goes by the name of what it wraps', () => {
    expect(by(new Error('wrap', { cause: zodLike() })).name).toBe('ZodError');
    expect(by(err('PaymentError', 'wrap', { cause: zodLike() })).name).toBe('PaymentError');
  });

  it('a class that forgot to set its name goes by the class', () => {
    class CardDeclined extends Error {}

    expect(by(new CardDeclined('no funds')).name).toBe('CardDeclined');
  });

  it('validation is told field by field, not as JSON', () => {
    const { error } = z
      .object({ items: z.array(z.object({ sku: z.string() })) })
      .safeParse({ items: [{}] });

    expect(by(error).message).toBe(
      'items.0.sku: Invalid input: expected string, received undefined',
    );
  });

  it('what is said twice is told once', () => {
    const inner = new Error('connection refused');

    expect(by(new Error('save: connection refused', { cause: inner })).message).toBe(
      'save: connection refused',
    );
  });

  it('message, name and code are scrubbed and bounded', () => {
    const thrown = err('Evil\u0000Name', `password=hunter2 ${'é'.repeat(2_000)}`, {
      code: `bob@x.test${'9'.repeat(500)}`,
    });

    const failure = by(thrown);

    expect(failure.name).toBe('EvilName');
    expect(failure.message.startsWith('password=*** é')).toBe(true);
    expect(Buffer.byteLength(failure.message)).toBeLessThanOrEqual(1_024);
    expect(failure.code).not.toContain('bob@');
    expect(Buffer.byteLength(failure.code ?? '')).toBeLessThanOrEqual(128);
  });
});

function zodLike(): Error {
  return err('ZodError', 'x', { issues: [{ path: ['a'], message: 'Required' }] });
}
