import { DurationError, durationText, parseDuration } from './duration.ts';
import type { Problems } from './flow-definition-error.ts';
import { unknownKeyHint } from './flow-keys.ts';
import { suggest } from './suggest.ts';

/**
 * Reads the fields of one section of a definition. A field that can't be used becomes a problem and
 * reads as its fallback, so that one pass finds everything; a field set to `undefined` is absent.
 */
export class FieldReader {
  readonly problems: Problems;
  readonly path: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  /** Reports every key that is not known, and a section that is no object at all. */
  constructor(problems: Problems, path: string, value: unknown, known: readonly string[]) {
    this.problems = problems;
    this.path = path;
    this.#fields = {};
    if (value === undefined) return;
    if (!isPlainObject(value)) {
      problems.add(path, value, `expected an object with ${known.join(', ')}, got {got}`);
      return;
    }
    this.#fields = value;
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue;
      const hint = unknownKeyHint(key, known, path === '');
      problems.add(this.at(key), value[key], `unknown key; ${hint}`);
    }
  }

  at(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`;
  }

  raw(key: string): unknown {
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  section(key: string, known: readonly string[]): FieldReader {
    return new FieldReader(this.problems, this.at(key), this.raw(key), known);
  }

  /** A text of one line that says something; required when there is no fallback. */
  line(key: string, what: string, maxLength: number, fallback?: string): string {
    const value = this.raw(key);
    if (value === undefined) {
      if (fallback === undefined) this.problems.add(this.at(key), value, `missing; give ${what}`);
      return fallback ?? '';
    }
    if (typeof value !== 'string' || value.trim() === '') {
      this.problems.add(this.at(key), value, `expected ${what}, got {got}`);
    } else if (hasControlCharacter(value)) {
      this.problems.add(this.at(key), value, `expected ${what} on one line, got {got}`);
    } else if (value.length > maxLength) {
      const text = `is ${value.length} characters long; shorten it to ${maxLength}, it goes into alarms`;
      this.problems.add(this.at(key), value, text);
    } else {
      return value;
    }
    return fallback ?? '';
  }

  integer(key: string, min: number, max: number, fallback: number): number {
    const value = this.raw(key);
    if (value === undefined) return fallback;
    if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) {
      return Number(value);
    }
    this.problems.add(
      this.at(key),
      value,
      `expected a whole number from ${min} to ${max}, got {got}`,
    );
    return fallback;
  }

  /** A number above `above` and not over `max`. */
  number(key: string, above: number, max: number, fallback: number): number {
    const value = this.raw(key);
    if (value === undefined) return fallback;
    if (typeof value === 'number' && value > above && value <= max) return value;
    const range = `expected a number above ${above}, up to ${max}, got {got}`;
    this.problems.add(this.at(key), value, range);
    return fallback;
  }

  durationMs(key: string, minMs: number, maxMs: number, fallbackMs: number): number {
    const value = this.raw(key);
    if (value === undefined) return fallbackMs;
    return readDurationMs(this.problems, this.at(key), value, minMs, maxMs) ?? fallbackMs;
  }

  flag(key: string, fallback: boolean): boolean {
    const value = this.raw(key);
    if (value === undefined || typeof value === 'boolean') return value ?? fallback;
    this.problems.add(this.at(key), value, 'expected true or false, got {got}');
    return fallback;
  }

  oneOf<T extends string>(key: string, choices: readonly T[], fallback: T): T {
    const value = this.raw(key);
    if (value === undefined) return fallback;
    return readChoice(this.problems, this.at(key), value, choices) ?? fallback;
  }

  /** A function, whose signature only the compiler can check. */
  callback<T extends (...args: never[]) => unknown>(key: string, what: string): T | undefined {
    const value = this.raw(key);
    if (value === undefined) return undefined;
    if (typeof value === 'function') return value as T;
    this.problems.add(this.at(key), value, `expected a function, ${what}, got {got}`);
    return undefined;
  }

  list(key: string, what: string): readonly unknown[] {
    const value = this.raw(key);
    if (value === undefined) return [];
    if (Array.isArray(value)) return [...value];
    this.problems.add(this.at(key), value, `expected a list of ${what}, got {got}`);
    return [];
  }

  /** A list of texts that are not empty, each once. */
  texts(key: string, what: string): readonly string[] {
    const texts: string[] = [];
    this.list(key, what).forEach((item, index) => {
      const field = `${this.at(key)}[${index}]`;
      if (typeof item !== 'string' || item.trim() === '') {
        this.problems.add(field, item, 'expected a text that is not empty, got {got}');
      } else if (texts.includes(item)) {
        this.problems.add(field, item, '{got} is listed twice; remove one');
      } else {
        texts.push(item);
      }
    });
    return texts;
  }
}

export function readDurationMs(
  problems: Problems,
  field: string,
  value: unknown,
  minMs: number,
  maxMs: number,
): number | undefined {
  try {
    const ms = parseDuration(value);
    if (ms >= minMs && ms <= maxMs) return ms;
    const from = `expected '${durationText(minMs)}' or more, got {got}`;
    const to = `expected at most '${durationText(maxMs)}', got {got}`;
    problems.add(field, value, ms < minMs ? from : to);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    problems.add(field, value, error.message);
  }
  return undefined;
}

export function readChoice<T extends string>(
  problems: Problems,
  field: string,
  value: unknown,
  choices: readonly T[],
): T | undefined {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const near = typeof value === 'string' ? suggest(value, choices) : undefined;
  const hint = near === undefined ? '' : `; did you mean '${near}'?`;
  const known = choices.map((choice) => `'${choice}'`).join(', ');
  problems.add(field, value, `expected one of ${known}, got {got}${hint}`);
  return undefined;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hasControlCharacter(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\u0000-\u001f\u007f]/.test(text);
}
