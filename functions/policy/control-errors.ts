/**
 * What a handler throws to say by itself what shall happen to the message.
 *
 * They are recognised by a registered symbol, not by `instanceof`: a bundle may hold a second copy
 * of this file. An error that only has the name and the code, as after JSON, is recognised too.
 */
import { parseDuration } from './duration.ts';
import { isObject, primitiveText, read } from './safe-read.ts';
import { type ControlMark, FAILURE_CLASSES, type FailureClass } from './types.ts';

/** The property control errors carry; its value is a {@link ControlMark}. */
export const CONTROL: unique symbol = Symbol.for('layover.control');

/** A control error that was built wrongly. Carries the cause that was meant for it. */
export class InvalidControlError extends TypeError {
  override readonly name = 'InvalidControlError';
  readonly code = 'LAYOVER_INVALID_CONTROL';
}

/**
 * Try this message again later, whatever its class says. Attempts still count and `maxAttempts`,
 * `maxElapsed` and the sender's deadline still hold.
 *
 * @example throw new RetryLater({ after: '5m', cause: error })
 */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly code = 'LAYOVER_RETRY_LATER';
  declare readonly [CONTROL]: ControlMark;

  /**
   * @param options.after how long to wait at least: `'5m'` or milliseconds; absent: the schedule's next wait
   * @throws {InvalidControlError} when `after` is no duration; its `cause` is the one given here
   */
  constructor(options: { after?: string | number; cause?: unknown; message?: string } = {}) {
    const { after, cause, message } = options ?? {};
    const afterMs = after === undefined ? undefined : waitOf(after, cause);
    super(
      message ?? `asked to be retried ${after === undefined ? 'later' : `after ${after}`}`,
      causeOf(cause),
    );
    mark(this, afterMs === undefined ? { kind: 'retry' } : { kind: 'retry', afterMs });
  }
}

/**
 * Park this message now, whatever its class says.
 *
 * @example throw new Park('the account is closed', { class: 'stale' })
 */
export class Park extends Error {
  override readonly name = 'Park';
  readonly code = 'LAYOVER_PARK';
  declare readonly [CONTROL]: ControlMark;

  /**
   * @param options.class the class it is parked under; absent: `invalid`
   * @throws {InvalidControlError} when `class` is no failure class; its `cause` is the one given here
   */
  constructor(reason: string, options: { class?: FailureClass; cause?: unknown } = {}) {
    const { class: failureClass, cause } = options ?? {};
    if (failureClass !== undefined && !isFailureClass(failureClass)) {
      throw new InvalidControlError(
        `Park: class ${shown(failureClass)} is unknown; use one of ${FAILURE_CLASSES.join(', ')}`,
        causeOf(cause),
      );
    }
    super(reason, causeOf(cause));
    mark(
      this,
      failureClass === undefined ? { kind: 'park' } : { kind: 'park', class: failureClass },
    );
  }
}

/**
 * Give this message up: nothing is published, the log line is its last trace.
 *
 * @example throw new Discard('the order was cancelled')
 */
export class Discard extends Error {
  override readonly name = 'Discard';
  readonly code = 'LAYOVER_DISCARD';
  declare readonly [CONTROL]: ControlMark;

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(reason, causeOf(options?.cause));
    mark(this, { kind: 'discard' });
  }
}

/**
 * Reads what a control error asks for; `undefined` when the thing is none. Total.
 *
 * Without the symbol the name must come with the code. The name alone is enough for the two that
 * lose nothing: a Park, and a RetryLater that says after how long.
 */
export function controlMarkOf(thrown: unknown): ControlMark | undefined {
  if (!isObject(thrown)) return undefined;
  const brand = read(thrown, CONTROL);
  if (isObject(brand))
    return markFrom(read(brand, 'kind'), read(brand, 'afterMs'), read(brand, 'class'));

  const name = read(thrown, 'name');
  const code = read(thrown, 'code');
  const after = read(thrown, 'afterMs') ?? read(thrown, 'after');
  if (
    name === 'RetryLater' &&
    (code === 'LAYOVER_RETRY_LATER' || durationMs(after) !== undefined)
  ) {
    return markFrom('retry', after, undefined);
  }
  if (name === 'Park' && (code === 'LAYOVER_PARK' || code === undefined)) {
    return markFrom('park', undefined, read(thrown, 'class'));
  }
  if (name === 'Discard' && code === 'LAYOVER_DISCARD') return { kind: 'discard' };
  return undefined;
}

export function isFailureClass(value: unknown): value is FailureClass {
  return FAILURE_CLASSES.some((known) => known === value);
}

function markFrom(kind: unknown, after: unknown, failureClass: unknown): ControlMark | undefined {
  switch (kind) {
    case 'retry': {
      const afterMs = durationMs(after);
      return afterMs === undefined ? { kind } : { kind, afterMs };
    }
    case 'park':
      return isFailureClass(failureClass) ? { kind, class: failureClass } : { kind };
    case 'discard':
      return { kind };
    default:
      return undefined;
  }
}

function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string') return undefined;
  try {
    return parseDuration(value);
  } catch {
    return undefined;
  }
}

function waitOf(after: unknown, cause: unknown): number {
  const afterMs = durationMs(after);
  if (afterMs !== undefined) return afterMs;
  throw new InvalidControlError(
    `RetryLater: after ${shown(after)} is no duration; use text such as '30s', '5m' or '1h', or milliseconds as a number from 0 up`,
    causeOf(cause),
  );
}

/** Not enumerable, so that it doesn't show in logs. */
function mark(error: Error, control: ControlMark): void {
  Object.defineProperty(error, CONTROL, { value: Object.freeze(control) });
}

function causeOf(cause: unknown): ErrorOptions {
  return cause === undefined ? {} : { cause };
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 40)}'`;
  return primitiveText(value, 40) ?? (value === null ? 'null' : typeof value);
}
