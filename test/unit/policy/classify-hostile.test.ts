import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../functions/policy/classify.ts';
import { FAILURE_CLASSES } from '../../../functions/policy/types.ts';
import { aggregate } from './tables/row.ts';

const options = { rules: [], sensitive: ['password'], now: new Date('2026-01-01T00:00:00Z') };

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

const trap = () => {
  throw new Error('trap');
};
const trappedProxy = new Proxy(new Error('behind'), {
  get: trap,
  has: trap,
  ownKeys: trap,
  getPrototypeOf: trap,
  getOwnPropertyDescriptor: trap,
});

class ThrowingGetters extends Error {
  override get message(): string {
    throw new Error('message');
  }
  override get name(): string {
    throw new Error('name');
  }
  override get cause(): unknown {
    throw new Error('cause');
  }
}

/** Each look at the cause makes another error: a chain without end. */
class EndlessCause extends Error {
  override get cause(): unknown {
    return new EndlessCause('again');
  }
}

const THROWN: readonly [string, unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a text', 'boom'],
  ['an empty text', ''],
  ['a number', 42],
  ['NaN', Number.NaN],
  ['a BigInt', 10n],
  ['a boolean', false],
  ['a symbol', Symbol('x')],
  ['a symbol without a name', Symbol()],
  ['a function', () => 'x'],
  ['a class', class Boom {}],
  ['an empty object', {}],
  ['an object without a prototype', Object.create(null)],
  ['an empty array', []],
  ['an empty Error', Reflect.construct(Error, [])],
  ['a frozen Error', Object.freeze(new Error('frozen'))],
  [
    'a getter that throws',
    {
      get message() {
        throw 1;
      },
    },
  ],
  ['getters of a class that throw', new ThrowingGetters()],
  ['a revoked proxy of an object', revoked({})],
  ['a revoked proxy of a function', revoked(() => 'x')],
  ['a revoked proxy of an array', revoked([])],
  ['a proxy whose every trap throws', trappedProxy],
  ['a revoked proxy as the cause', new Error('outer', { cause: revoked({}) })],
  ['a revoked proxy among members', aggregate([revoked([]), revoked({})])],
  ['headers that throw', { message: 'x', headers: { get: trap, entries: trap } }],
  ['headers that are a revoked proxy', { message: 'x', response: { headers: revoked({}) } }],
  ['a message that is an object', { name: 'Odd', message: { text: 'x' } }],
  ['a name that is a symbol', { name: Symbol('n'), message: 'x' }],
  ['a code that is an object', { message: 'x', code: {} }],
  [
    'fields that are BigInts',
    Object.assign(new Error('x'), { id: 9_007_199_254_740_993n, errno: 1n, status: 3n }),
  ],
  ['a BigInt and nothing else', { id: 10n }],
  [
    'toString and toJSON that throw',
    { toString: trap, toJSON: trap, valueOf: trap, [Symbol.toPrimitive]: trap },
  ],
  ['a constructor that is no function', { constructor: 7, message: 'x' }],
  ['a lone surrogate', new Error('\ud800 broken')],
  ['a name of a megabyte', Object.assign(new Error('x'), { name: 'N'.repeat(1_000_000) })],
  ['a Date', new Date(Number.NaN)],
  ['a Buffer of a megabyte', Buffer.alloc(1_000_000)],
  ['a Map', new Map([['a', 1]])],
  ['a promise', Promise.resolve(1)],
  ['a stack that is no text', Object.assign(new Error('x'), { stack: 7 })],
  ['a key named __proto__', JSON.parse('{"message":"x","__proto__":{"status":429}}')],
];

describe('whatever is thrown', () => {
  it.each(THROWN)('case 66: %s gets a class and a text reason', (_title, thrown) => {
    const failure = classify(thrown, options);

    expect(FAILURE_CLASSES).toContain(failure.class);
    expect(failure.message.trim()).not.toBe('');
    expect(failure.name.trim()).not.toBe('');
    expect(Buffer.byteLength(failure.name)).toBeLessThanOrEqual(128);
    expect(failure.message.isWellFormed()).toBe(true);
    expect(() => JSON.stringify(failure)).not.toThrow();
  });

  it.each([
    [undefined, 'undefined was thrown'],
    [null, 'null was thrown'],
    ['boom', 'boom'],
    [42, '42'],
    [Symbol('x'), 'Symbol(x)'],
    [10n, '10'],
  ])('case 66: %s is unknown and told as %j', (thrown, message) => {
    expect(classify(thrown, options)).toMatchObject({ class: 'unknown', rule: 'unknown', message });
  });

  it('case 42: a BigInt among the fields reaches rules as it is and breaks no log', () => {
    const seen: unknown[] = [];
    const rule = {
      name: 'flow.look',
      class: 'invalid' as const,
      when: (error: { fields: Readonly<Record<string, unknown>> }) => {
        seen.push(error.fields.orderId);
        return false;
      },
    };

    const failure = classify(Object.assign(new Error('x'), { orderId: 12n }), {
      ...options,
      rules: [rule],
    });

    expect(seen).toEqual([12n]);
    expect(JSON.stringify(failure)).toContain('"class":"unknown"');
  });

  it('a key named __proto__ is only a key: it brings no status along', () => {
    const thrown: unknown = JSON.parse('{"message":"x","__proto__":{"status":429}}');

    expect(classify(thrown, options).class).toBe('unknown');
  });

  it('case 30: a cause that leads back to the error ends', () => {
    const error = new Error('self');
    error.cause = error;
    const left = new Error('left');
    const right = new Error('right', { cause: left });
    left.cause = right;

    expect(classify(error, options)).toMatchObject({ class: 'unknown', message: 'self' });
    expect(classify(left, options).message).toBe('left: right');
  });

  it('a chain without end is cut', () => {
    expect(classify(new EndlessCause('first'), options).class).toBe('unknown');
  });

  it('an aggregate of a hundred thousand is looked at in part, in little time', () => {
    const members = Array.from({ length: 100_000 }, (_, index) => new Error(`no ${index}`));
    const started = performance.now();

    const failure = classify(aggregate(members, 'all failed'), options);

    expect(failure.message).toBe('all failed: no 0; no 1; no 2');
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('an aggregate of aggregates does not multiply', () => {
    let error: Error = new Error('leaf');
    for (let level = 0; level < 8; level += 1) {
      const inner = error;
      error = aggregate(Array.from({ length: 60 }, () => aggregate([inner])));
    }
    const started = performance.now();

    expect(classify(error, options).class).toBe('unknown');
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('an error with a field of ten thousand keys and arrays is copied in part', () => {
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, [i, [i]]]));
    const started = performance.now();

    expect(classify(Object.assign(new Error('wide'), wide), options).class).toBe('unknown');
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('case 66: nothing thrown is written to', () => {
    const inner = Object.freeze(Object.assign(new Error('inner'), { code: 'ECONNRESET' }));
    const fields = Object.freeze({ nested: Object.freeze({ list: Object.freeze([1]) }) });
    const thrown = Object.freeze(Object.assign(new Error('outer', { cause: inner }), fields));
    const before = Object.getOwnPropertyNames(thrown);

    const failure = classify(thrown, options);

    expect(failure.class).toBe('transient');
    expect(Object.getOwnPropertyNames(thrown)).toEqual(before);
    expect(thrown.nested.list).toEqual([1]);
  });

  it('case 30: errors of another realm are the same as local ones', () => {
    const make = (source: string): unknown => runInNewContext(source, {});
    const twins: [string, unknown][] = [
      ['new TypeError("x is not a function")', new TypeError('x is not a function')],
      [
        'new TypeError("fetch failed", { cause: Object.assign(new Error("c"), { code: "ECONNRESET" }) })',
        new TypeError('fetch failed', {
          cause: Object.assign(new Error('c'), { code: 'ECONNRESET' }),
        }),
      ],
      ['new AggregateError([new RangeError("r")], "")', aggregate([new RangeError('r')])],
      [
        'Object.assign(new Error("z"), { name: "ZodError", issues: [{ path: ["a"], message: "m" }] })',
        Object.assign(new Error('z'), {
          name: 'ZodError',
          issues: [{ path: ['a'], message: 'm' }],
        }),
      ],
      ['"a text"', 'a text'],
    ];

    for (const [source, local] of twins) {
      const foreign = classify(make(source), options);
      const { signature: _, ...expected } = classify(local, options);
      expect(foreign).toMatchObject(expected);
    }
  });

  it('any value at all, arbitrarily nested, gets a class', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withTypedArray: true,
      withSparseArray: true,
      withObjectString: true,
      key: fc.oneof(
        fc.string(),
        fc.constantFrom(
          'name',
          'message',
          'code',
          'cause',
          'errors',
          'status',
          'headers',
          'response',
          'errno',
          'stack',
          'issues',
          'details',
          'meta',
          'retryAfter',
          '$metadata',
          '__proto__',
          'errorLabels',
          'CancellationReasons',
        ),
      ),
    });

    fc.assert(
      fc.property(anything, (thrown) => {
        const failure = classify(thrown, options);
        expect(FAILURE_CLASSES).toContain(failure.class);
        expect(failure.message).not.toBe('');
        expect(Buffer.byteLength(failure.message)).toBeLessThanOrEqual(1_024);
        expect(failure.retryAfterMs ?? 0).toBeGreaterThanOrEqual(0);
        expect(classify(thrown, options)).toEqual(failure);
      }),
      { numRuns: 500 },
    );
  });
});
