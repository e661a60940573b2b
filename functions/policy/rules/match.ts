/** Small words rules are written with. */
import type { ErrorFacts, FailureClass, NormalisedError, Rule } from '../types.ts';

export type Condition = (error: ErrorFacts, whole: NormalisedError) => boolean;

/** A default rule: `<kind>.<what>`, a name that is stored on messages and so never changes. */
export function rule(name: string, failureClass: FailureClass, ...any: Condition[]): Rule {
  return Object.freeze({
    name,
    class: failureClass,
    when: (error: ErrorFacts, whole: NormalisedError) =>
      any.some((condition) => condition(error, whole)),
  });
}

/** The link's code is one of these. */
export function code(...codes: readonly string[]): Condition {
  const known = new Set(codes);
  return (error) => error.code !== undefined && known.has(error.code);
}

/** The link's code begins like this. */
export function codeLike(pattern: RegExp): Condition {
  return (error) => error.code !== undefined && pattern.test(error.code);
}

/** The link's name is one of these. */
export function named(...names: readonly string[]): Condition {
  const known = new Set(names);
  return (error) => known.has(error.name);
}

/** The link's message reads like this. Patterns must be linear: messages may be 64 KiB. */
export function message(pattern: RegExp): Condition {
  return (error) => pattern.test(error.message);
}

/** The field has this very value. */
export function field(name: string, ...values: readonly unknown[]): Condition {
  return (error) => values.includes(error.fields[name]);
}

export function all(...conditions: readonly Condition[]): Condition {
  return (error, whole) => conditions.every((condition) => condition(error, whole));
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
