/** Small words rules are written with. */
import type { ErrorFacts, FailureClass, NormalisedError } from '../types.ts';
import type { KeyedRule, Need } from './lookup.ts';

/** Whether something holds for a link, and which facts it can't hold without. */
export interface Condition {
  (error: ErrorFacts, whole: NormalisedError): boolean;
  readonly needs?: readonly Need[];
}

/** States what a condition can't hold without: one of these. A wrong statement hides the rule. */
export function needing(
  needs: readonly Need[],
  condition: (error: ErrorFacts, whole: NormalisedError) => boolean,
): Condition {
  return Object.assign(condition, { needs });
}

/** A default rule: `<kind>.<what>`, a name that is stored on messages and so never changes. */
export function rule(name: string, failureClass: FailureClass, ...any: Condition[]): KeyedRule {
  const [only] = any;
  const when: Condition =
    any.length === 1 && only !== undefined
      ? only
      : (error, whole) => any.some((condition) => condition(error, whole));
  const needs = any.every((condition) => condition.needs !== undefined)
    ? any.flatMap((condition) => condition.needs ?? [])
    : undefined;
  return Object.freeze({ name, class: failureClass, when, ...(needs && { needs }) });
}

/** The link's code is one of these. */
export function code(...codes: readonly string[]): Condition {
  const known = new Set(codes);
  return needing(
    codes.map((text): Need => `code:${text}`),
    (error) => error.code !== undefined && known.has(error.code),
  );
}

/** The link's code begins like this. */
export function codeLike(pattern: RegExp): Condition {
  return needing(['code'], (error) => error.code !== undefined && pattern.test(error.code));
}

/** The link's name is one of these. */
export function named(...names: readonly string[]): Condition {
  const known = new Set(names);
  return needing(
    names.map((text): Need => `name:${text}`),
    (error) => known.has(error.name),
  );
}

/** The link's message reads like this. Patterns must be linear: messages may be 64 KiB. */
export function message(pattern: RegExp): Condition {
  return (error) => pattern.test(error.message);
}

/** The field has this very value. */
export function field(name: string, ...values: readonly unknown[]): Condition {
  return needing([`field:${name}`], (error) => values.includes(error.fields[name]));
}

export function all(...conditions: readonly Condition[]): Condition {
  const needs = conditions.find((condition) => condition.needs !== undefined)?.needs;
  const holds: Condition = (error, whole) =>
    conditions.every((condition) => condition(error, whole));
  return needs === undefined ? holds : needing(needs, holds);
}

export function not(condition: Condition): Condition {
  return (error, whole) => !condition(error, whole);
}

/** A value inside the copied fields, by dotted path. They are plain data, so this can't throw. */
export function fieldAt(error: ErrorFacts, path: string): unknown {
  let value: unknown = error.fields;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
