import { describe, expect, it } from 'vitest';
import { classify } from '../../../functions/policy/classify.ts';
import { DEFAULT_RULES } from '../../../functions/policy/rules/index.ts';
import { TABLES } from './tables/index.ts';

const options = { rules: [], sensitive: [], now: new Date('2026-01-01T00:00:00Z') };

/** The error as `layover classify --error` reads it: JSON, with what is not enumerable spelled out. */
function described(thrown: unknown): unknown {
  if (typeof thrown !== 'object' || thrown === null) return thrown;
  const keys = new Set([
    ...Object.keys(thrown),
    'name',
    'message',
    'stack',
    'code',
    'cause',
    'errors',
  ]);
  for (const key of ['issues', 'status', 'response', '$metadata', 'errorLabels']) keys.add(key);
  const plain: Record<string, unknown> = {};
  for (const key of keys) {
    const value: unknown = Reflect.get(thrown, key);
    if (value === undefined || typeof value === 'function') continue;
    const isError = value instanceof Error || key === 'cause';
    const isErrors = key === 'errors' && Array.isArray(value);
    plain[key] = isError ? described(value) : isErrors ? value.map(described) : value;
  }
  const json = JSON.stringify(plain, (_key, value: unknown) => {
    if (value instanceof Headers) return Object.fromEntries(value);
    return value instanceof Error ? described(value) : value;
  });
  return JSON.parse(json);
}

describe.each(Object.entries(TABLES))('%s', (_library, rows) => {
  it.each(rows)('$title → $class', ({ thrown, class: failureClass, rule }) => {
    const failure = classify(thrown, options);

    expect({ class: failure.class, rule: failure.rule }).toEqual({ class: failureClass, rule });
    expect(failure.message).not.toBe('');
    expect(failure.name).not.toBe('');
    expect(failure.signature).toMatch(/^[0-9a-f]{12}$/);
  });

  it.each(rows.filter(({ thrown }) => !Array.isArray(thrown) && !(thrown instanceof Response)))(
    '$title: described as JSON it is the same failure',
    ({ thrown }) => {
      const real = classify(thrown, options);
      const fromJson = classify(described(thrown), options);

      expect(fromJson).toEqual(real);
    },
  );

  it.each(rows)('$title: the same each time', ({ thrown }) => {
    expect(classify(thrown, options)).toEqual(classify(thrown, options));
  });
});

describe('the default rules', () => {
  const reached = new Set(Object.values(TABLES).flatMap((rows) => rows.map(({ rule }) => rule)));

  it.each(DEFAULT_RULES.map(({ name }) => name))('%s has a case in a table', (name) => {
    expect(reached).toContain(name);
  });

  it('have names of their own, made of kind and what happened', () => {
    const names = DEFAULT_RULES.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z0-9]+\.[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it('never say poison, duplicate or undelivered: those need proof of another kind', () => {
    const classes = new Set(DEFAULT_RULES.map((rule) => rule.class));

    expect([...classes].filter((c) => ['poison', 'duplicate', 'undelivered'].includes(c))).toEqual(
      [],
    );
  });
});
