import { describe, expect, it } from 'vitest';
import { classify } from '../../../functions/policy/classify.ts';
import { normalise } from '../../../functions/policy/normalise.ts';
import { fingerprint, RecentAnswers } from '../../../functions/policy/recent.ts';
import { DEFAULT_RULES, defaultRulesFor } from '../../../functions/policy/rules/index.ts';
import { ruleLookup } from '../../../functions/policy/rules/lookup.ts';
import { code, named, rule } from '../../../functions/policy/rules/match.ts';
import { TABLES } from './tables/index.ts';
import { err } from './tables/row.ts';

const now = new Date('2026-01-01T00:00:00Z');
const rows = Object.values(TABLES).flat();

describe('the lookup of rules', () => {
  it.each(rows)('hides no rule that holds: $title', ({ thrown }) => {
    const error = normalise(thrown, now);
    const holding = DEFAULT_RULES.filter(({ when }) =>
      error.chain.some((link) => when(link, error)),
    );

    const offered = defaultRulesFor(error);

    expect(holding.filter((held) => !offered.includes(held))).toEqual([]);
  });

  it('offers few of them', () => {
    const offered = defaultRulesFor(normalise(new Error('odd'), now));

    expect(offered.length).toBeLessThan(DEFAULT_RULES.length / 3);
  });

  it('keeps the order of the list', () => {
    const rules = [
      rule('a.first', 'invalid', code('A')),
      rule('b.second', 'bug', named('B')),
      rule('c.always', 'unknown', () => false),
    ];
    const offered = ruleLookup(rules)(normalise(err('B', 'x', { code: 'A' }), now));

    expect(offered.map(({ name }) => name)).toEqual(['a.first', 'b.second', 'c.always']);
    expect(ruleLookup(rules)(normalise('x', now)).map(({ name }) => name)).toEqual(['c.always']);
  });
});

describe('what is remembered of failures', () => {
  const options = { rules: [], sensitive: ['iban'], now };
  const failure = (thrown: unknown) => classify(thrown, options);

  it.each<[string, object, object]>([
    ['the code', { code: 'ECONNRESET' }, { code: 'EACCES' }],
    ['the status', { status: 404 }, { status: 503 }],
    ['the errno', { errno: 1213 }, { errno: 1062 }],
    ['a field', { $fault: 'client' }, { $fault: 'server' }],
    ['the type of a field', { code: 11_000 }, { code: '11000' }],
    ['a nested field', { errorLabels: ['RetryableWriteError'] }, { errorLabels: [] }],
  ])('two errors that differ only in %s are told apart', (_title, left, right) => {
    const make = (fields: object) => ({ name: 'E', message: 'same', ...fields });

    expect(failure(make(left)).class).not.toBe(failure(make(right)).class);
    expect(failure(make(left))).toEqual(failure(make(left)));
  });

  it('a Retry-After that passes changes the answer', () => {
    const thrown = {
      name: 'E',
      message: 'same',
      status: 503,
      retryAfter: 'Thu, 01 Jan 2026 00:01:00 GMT',
    };
    const later = new Date('2026-01-01T00:02:00Z');

    expect(classify(thrown, options)).toMatchObject({
      class: 'backpressure',
      retryAfterMs: 60_000,
    });
    expect(classify(thrown, { ...options, now: later })).toMatchObject({
      class: 'transient',
      retryAfterMs: 0,
    });
  });

  it('the same links at other depths are told as what they are', () => {
    const link = (message: string, fields: object = {}) => ({ name: 'E', message, ...fields });
    const below = link('a', { cause: link('b', { cause: link('c') }) });
    const beside = link('a', { cause: link('b'), error: link('c') });

    expect(failure(below).message).toBe('a: b: c');
    expect(failure(beside).message).toBe('a: b; c');
  });

  it('other sensitive names are another answer', () => {
    const thrown = () => ({ name: 'E', message: 'iban=1 bic=2' });

    expect(failure(thrown()).message).toBe('iban=*** bic=2');
    expect(classify(thrown(), { ...options, sensitive: ['bic'] }).message).toBe('iban=1 bic=***');
  });

  it('the flow’s rules are asked each time', () => {
    let wanted = false;
    const rules = [{ name: 'flow.switch', class: 'stale' as const, when: () => wanted }];
    const thrown = () => ({ name: 'E', message: 'same' });

    expect(classify(thrown(), { ...options, rules }).class).toBe('unknown');
    wanted = true;
    expect(classify(thrown(), { ...options, rules }).class).toBe('stale');
  });

  it('an answer is made once while the same error keeps coming', () => {
    const answers = new RecentAnswers<object>();
    const context = {};
    const error = () => normalise({ name: 'E', message: 'same' }, now);

    const first = answers.answer(error(), context, () => ({ made: 1 }));
    const second = answers.answer(error(), context, () => ({ made: 2 }));
    const elsewhere = answers.answer(error(), {}, () => ({ made: 3 }));

    expect([first, second, elsewhere]).toEqual([{ made: 1 }, { made: 1 }, { made: 3 }]);
  });

  it('and forgotten when many others came', () => {
    const answers = new RecentAnswers<number>();
    const context = {};
    const ask = (message: string, value: number) =>
      answers.answer(normalise({ name: 'E', message }, now), context, () => value);

    ask('first', 1);
    for (let index = 0; index < 100; index += 1) ask(`other ${index}`, 0);

    expect(ask('first', 2)).toBe(2);
  });

  it('errors with more than plain fields, control errors and giants are not remembered', () => {
    const of = (thrown: unknown) => fingerprint(normalise(thrown, now));

    expect(of({ name: 'E', message: 'x', response: { data: 1 } })).toBeUndefined();
    expect(of({ name: 'Park', message: 'x' })).toBeUndefined();
    expect(of({ name: 'E', message: 'x'.repeat(10_000) })).toBeUndefined();
    expect(of({ name: 'E', message: 'x', id: 1n })).toBe(of({ name: 'E', message: 'x', id: 1n }));
    expect(of({ name: 'E', message: 'x', id: 1n })).not.toBe(
      of({ name: 'E', message: 'x', id: 1 }),
    );
    expect(of({ name: 'a","b', message: 'c' })).not.toBe(of({ name: 'a', message: 'b","c' }));
  });
});
