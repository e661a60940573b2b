import { isTypedValue } from './amqp-value.ts';
import { COUNT_LIMIT } from './limits.ts';
import { cutUtf8 } from './text.ts';
import type { HeaderValue } from './types.ts';

/** Readers for header values that anyone may have written. None of them throws. */

/**
 * A counter: 0 to {@link COUNT_LIMIT}. Any AMQP number or a text of digits will do, since other
 * clients write what they like. Negative counts as 0, so that nobody is granted more than the schedule;
 * what is no count at all (`'NaN'`, `'7abc'`, a list) counts as exhausted, so that a header somebody
 * garbles on every lap can't retry for ever. Absent and null are 0.
 */
export function readCount(value: HeaderValue | undefined): number {
  if (value === undefined || value === null) return 0;
  const count = toNumber(value);
  if (count === undefined) return COUNT_LIMIT;
  return Math.min(Math.max(count, 0), COUNT_LIMIT);
}

/** A count of the broker's, or undefined when there is none: a guess would look like evidence. */
export function readBrokerCount(value: HeaderValue | undefined): number | undefined {
  if (value === undefined || value === null) return undefined;
  const count = toNumber(value);
  return count === undefined || count < 0 ? undefined : Math.min(count, COUNT_LIMIT);
}

function toNumber(value: HeaderValue): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') {
    return /^\s*-?\d{1,20}\s*$/.test(value) ? Number(value) : undefined;
  }
  if (typeof value === 'object' && value !== null && isTypedValue(value)) {
    if (value['!'] === 'timestamp' || typeof value.value === 'object') return undefined;
    return toNumber(value.value);
  }
  return undefined;
}

/** A text of at most `maxBytes` of UTF-8, cut when longer; undefined when it is no text. */
export function readText(value: HeaderValue | undefined, maxBytes: number): string | undefined {
  return typeof value === 'string' ? cutUtf8(value, maxBytes) : undefined;
}

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** A moment: ISO 8601 in UTC, or an AMQP timestamp. Undefined when it is neither. */
export function readMoment(value: HeaderValue | undefined): Date | undefined {
  let date: Date | undefined;
  if (typeof value === 'string' && ISO_UTC.test(value)) date = new Date(value);
  const seconds = readTimestamp(value);
  if (seconds !== undefined) date = new Date(seconds * 1000);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

/** Whole seconds of an AMQP timestamp. */
export function readTimestamp(value: HeaderValue | undefined): number | undefined {
  if (value === undefined || !isTypedValue(value)) return undefined;
  const seconds = value['!'] === 'timestamp' ? Number(value.value) : Number.NaN;
  return Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : undefined;
}
