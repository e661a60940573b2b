import { describe, expect, it } from 'vitest';
import { normalise } from '../../../functions/policy/normalise.ts';
import { aggregate, err } from './tables/row.ts';

const now = new Date('2026-01-01T00:00:00Z');
const chainOf = (thrown: unknown) => normalise(thrown, now).chain;
const firstOf = (thrown: unknown) => chainOf(thrown)[0];

describe('a chain', () => {
  it('lists what was thrown first, then level by level, causes before members', () => {
    const thrown = Object.assign(
      aggregate([new Error('m1'), new Error('m2', { cause: new Error('m2c') })], 'top'),
      {
        cause: new Error('c', { cause: new Error('cc') }),
      },
    );

    const chain = chainOf(thrown);

    expect(chain.map(({ message }) => message)).toEqual(['top', 'c', 'm1', 'm2', 'cc', 'm2c']);
    expect(chain.map(({ depth }) => depth)).toEqual([0, 1, 1, 1, 2, 2]);
  });

  it.each([
    'cause',
    'driverError',
    'original',
    'originalError',
    'parent',
    'previous',
    'nativeError',
    'inner',
    'innerError',
    'wrappedError',
    'networkError',
    'lastError',
    'error',
    'err',
    'suppressed',
    'raw',
  ])('follows %s', (key) => {
    expect(
      chainOf(err('Outer', 'o', { [key]: new Error('i') })).map(({ message }) => message),
    ).toEqual(['o', 'i']);
  });

  it('follows a SuppressedError both ways', () => {
    const thrown = {
      name: 'SuppressedError',
      message: 's',
      error: new Error('e'),
      suppressed: new Error('u'),
    };

    expect(chainOf(thrown).map(({ message }) => message)).toEqual(['s', 'e', 'u']);
  });

  it('takes a text as a cause and as a member, but not as anything else', () => {
    expect(chainOf(new Error('o', { cause: 'ECONNRESET' })).map(({ message }) => message)).toEqual([
      'o',
      'ECONNRESET',
    ]);
    expect(chainOf(aggregate(['a', new Error('b')], 'o')).map(({ message }) => message)).toEqual([
      'o',
      'a',
      'b',
    ]);
    expect(chainOf(err('E', 'o', { error: 'invalid_grant', inner: 'x' }))).toHaveLength(1);
  });

  it('does not take complaints of a validation library for errors', () => {
    const thrown = err('ValidationError', 'o', {
      inner: [err('ValidationError', 'a', { path: 'a' })],
      errors: ['a'],
    });

    expect(chainOf(thrown)).toHaveLength(1);
  });

  it('takes an object met twice once, and ends where it began', () => {
    const self = new Error('self');
    self.cause = self;
    const shared = new Error('shared');
    const twice = Object.assign(aggregate([shared, new Error('other')], 'top'), { cause: shared });

    expect(chainOf(self)).toHaveLength(1);
    expect(chainOf(twice).map(({ message }) => message)).toEqual(['top', 'shared', 'other']);
  });

  it('takes a list of errors for complaints only when every entry is one', () => {
    const complaint = { keyword: 'type', instancePath: '/id', message: 'must be string' };
    const mixed = err('E', 'o', { errors: [complaint, new Error('reset')] });

    expect(chainOf(mixed).map(({ message }) => message)).toContain('reset');
    expect(firstOf(mixed)?.fields.issues).toBeUndefined();
    expect(firstOf(err('E', 'o', { errors: [complaint] }))?.fields.issues).toEqual([
      { path: 'id', message: 'must be string' },
    ]);
  });

  it('is bounded in depth and in width', () => {
    let deep = new Error('leaf');
    for (let level = 0; level < 50; level += 1) deep = new Error(`level ${level}`, { cause: deep });
    const wide = aggregate(Array.from({ length: 500 }, (_, index) => new Error(`${index}`)));

    expect(chainOf(deep)).toHaveLength(11);
    expect(chainOf(wide)).toHaveLength(65);
  });

  it('is frozen, facts and fields included', () => {
    const [facts] = chainOf(err('E', 'x', { nested: { list: [1, { a: 1 }] } }));
    const nested = facts?.fields.nested as { list: object[] };

    expect(Object.isFrozen(facts) && Object.isFrozen(facts?.fields)).toBe(true);
    expect(
      Object.isFrozen(nested) && Object.isFrozen(nested.list) && Object.isFrozen(nested.list[1]),
    ).toBe(true);
  });
});

describe('the facts of a link', () => {
  it.each<[string, unknown, string | undefined]>([
    ['a text', { message: 'x', code: 'E1' }, 'E1'],
    ['a number', { message: 'x', code: 11_000 }, '11000'],
    ['a BigInt', { message: 'x', code: 5n }, '5'],
    ['errno’s name', { message: 'x', errno: 'EPIPE' }, 'EPIPE'],
    ['errno’s number on Linux', { message: 'x', errno: -111 }, 'ECONNREFUSED'],
    ['Prisma’s errorCode', { message: 'x', errorCode: 'P1001' }, 'P1001'],
    ['AWS’s __type', { message: 'x', __type: 'ns#Throttled' }, 'Throttled'],
    ['a DOMException’s legacy number is none', new DOMException('x', 'AbortError'), undefined],
    ['an empty text is none', { message: 'x', code: '' }, undefined],
    ['an object is none', { message: 'x', code: { a: 1 } }, undefined],
  ])('the code is %s', (_title, thrown, code) => {
    expect(firstOf(thrown)?.code).toBe(code);
  });

  it('know an Error, a DOMException and a description of one from other things', () => {
    expect(firstOf(new Error('x'))?.isError).toBe(true);
    expect(firstOf(new DOMException('x'))?.isError).toBe(true);
    expect(firstOf({ name: 'E', message: 'x' })?.isError).toBe(true);
    expect(['x', null, undefined, 4, {}, []].map((thrown) => firstOf(thrown)?.isError)).toEqual(
      Array(6).fill(false),
    );
  });

  it('a status is a whole number from 100 to 599, or such a text', () => {
    const statuses = [404, '404', 99, 600, 404.5, 'ok', Number.NaN, null];

    expect(statuses.map((status) => firstOf({ message: 'x', status })?.status)).toEqual([
      404,
      404,
      ...Array(6).fill(undefined),
    ]);
  });

  it('AMQP’s reply code is no status', () => {
    expect(
      firstOf(err('Error', 'x', { code: 404, classId: 50, methodId: 10 }))?.status,
    ).toBeUndefined();
  });

  it('copy plain data and leave sockets, requests and functions out', () => {
    const fields = firstOf(
      err('AxiosError', 'x', {
        config: { headers: { authorization: 'Bearer x' } },
        request: { socket: {} },
        response: { status: 409, data: { reason: 'taken' }, request: {} },
        isAxiosError: true,
        toJSON: () => 'x',
        at: new Date('2026-01-01T00:00:00Z'),
        body: Buffer.from('secret'),
        labels: new Set(['a']),
      }),
    )?.fields;

    expect(fields).toMatchObject({
      response: { status: 409, data: { reason: 'taken' } },
      isAxiosError: true,
      at: '2026-01-01T00:00:00.000Z',
      body: '[bytes]',
      labels: ['a'],
    });
    expect(Object.keys(fields ?? {})).not.toEqual(expect.arrayContaining(['config']));
    expect(fields).not.toHaveProperty('request');
    expect(fields).not.toHaveProperty('toJSON');
  });

  it('hold response headers in lower case, whatever kept them', () => {
    expect(
      firstOf({ message: 'x', response: { headers: new Headers({ 'X-Request-Id': '7' }) } })?.fields
        .headers,
    ).toEqual({ 'x-request-id': '7' });
    expect(
      firstOf({ message: 'x', headers: { 'X-Request-ID': ['7', '8'] } })?.fields.headers,
    ).toEqual({ 'x-request-id': '7' });
  });

  it('cut long texts', () => {
    const facts = firstOf(
      err('N'.repeat(1_000), 'm'.repeat(1_000_000), { field: 'f'.repeat(100_000) }),
    );

    expect(facts?.name).toHaveLength(128);
    expect(facts?.message).toHaveLength(65_536);
    expect(facts?.fields.field).toHaveLength(4_096);
  });
});
