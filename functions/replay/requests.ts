import { ReplayError } from './errors.ts';
import type { Order, Pace, RunOptions } from './types.ts';

const MAX_RATE_PER_SECOND = 10_000;

/** Reads the fields of a request, refusing what is not as it must be. */
export class RequestReader {
  readonly #fields: Readonly<Record<string, unknown>>;

  /** @throws ReplayError `BAD_REQUEST` when it is no JSON object */
  constructor(input: unknown) {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      throw new ReplayError('BAD_REQUEST', 'The request must be a JSON object with an operation.');
    }
    this.#fields = input as Readonly<Record<string, unknown>>;
  }

  raw(name: string): unknown {
    return this.#fields[name];
  }

  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    throw bad(name, value, 'a text');
  }

  optionalText(name: string): string | undefined {
    return this.#fields[name] === undefined ? undefined : this.text(name);
  }

  optionalBoolean(name: string): boolean | undefined {
    const value = this.#fields[name];
    if (value === undefined || typeof value === 'boolean') return value;
    throw bad(name, value, 'true or false');
  }

  optionalInteger(name: string, min: number, max: number): number | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    const fits =
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    if (fits) return value;
    throw bad(name, value, `a whole number from ${min} to ${max}`);
  }

  optionalMoment(name: string): Date | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    const at = typeof value === 'string' ? new Date(value) : undefined;
    if (at !== undefined && !Number.isNaN(at.getTime())) return at;
    throw bad(name, value, 'a time such as 2026-01-31T12:00:00Z');
  }
}

/** A person's runs ramp too, unless told otherwise. */
export function parseOptions(request: RequestReader): RunOptions {
  return {
    ramp: true,
    ...parsePace(request),
    includeUncertain: request.optionalBoolean('includeUncertain') ?? false,
    acceptUnknown: request.optionalBoolean('acceptUnknown') ?? false,
    ignoreDeadline: request.optionalBoolean('ignoreDeadline') ?? false,
  };
}

/** How fast a run goes, as far as the request says so; the rest stays as planned. */
export function parsePace(request: RequestReader): Pace {
  const ratePerSecond = request.raw('ratePerSecond');
  if (ratePerSecond !== undefined && !isRate(ratePerSecond)) {
    throw bad('ratePerSecond', ratePerSecond, `a number above 0, ${MAX_RATE_PER_SECOND} at most`);
  }
  const ramp = request.optionalBoolean('ramp');
  return {
    ...(ramp === undefined ? {} : { ramp }),
    ...(isRate(ratePerSecond) ? { ratePerSecond } : {}),
  };
}

export function parseOrder(request: RequestReader, by: string): Order {
  const ticket = request.optionalText('ticket');
  return { by, reason: request.text('reason'), ...(ticket === undefined ? {} : { ticket }) };
}

/** What the audit keeps of a brake that was pulled without a word. */
export const NOT_GIVEN = 'not given';

/** Who pulls a brake, and why. It works without a reason: {@link NOT_GIVEN}. */
export function parseBrake(request: RequestReader, by: string): Order {
  const given = request.raw('reason');
  const isGiven = given !== undefined && !(typeof given === 'string' && given.trim() === '');
  return { by, reason: isGiven ? request.text('reason') : NOT_GIVEN };
}

function isRate(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= MAX_RATE_PER_SECOND;
}

function bad(field: string, value: unknown, expected: string): ReplayError {
  const got = value === undefined ? 'nothing' : JSON.stringify(value);
  return new ReplayError('BAD_REQUEST', `${field} must be ${expected}, got ${got}.`);
}
