/** How long a downstream asked us to wait. Whatever can't be read counts as absent, never as NaN. */
import type { HeaderRecord } from './headers.ts';
import { httpDateMs } from './http-date.ts';
import { dateMs, elements, isArray, readPath } from './safe-read.ts';

/** Ten years. A longer wait is no better than a long one, and `now + wait` must stay a date. */
const MAX_WAIT_MS = 10 * 365 * 86_400_000;
/** Above this a "reset" is a point in time in Unix seconds, below it a number of seconds. */
const EPOCH_SECONDS = 1_000_000_000;

/**
 * Reads a Retry-After value (RFC 9110, 10.2.3): whole seconds, or an HTTP date in one of its three
 * forms, relative to `now`. ISO 8601 with a zone and Date objects are read too, since SDKs make them.
 *
 * @returns milliseconds to wait, 0 for a date that has passed, `undefined` for anything unreadable
 *   (negative, fractional, blank, words, NaN)
 */
export function parseRetryAfterMs(value: unknown, now: Date): number | undefined {
  if (isArray(value)) return firstOf(elements(value, 10), (item) => parseRetryAfterMs(item, now));
  if (typeof value === 'number' || typeof value === 'bigint') {
    return Number.isInteger(Number(value)) ? waitMs(Number(value) * 1_000) : undefined;
  }
  const date = dateMs(value);
  if (date !== undefined) return untilMs(date, now);
  if (typeof value !== 'string' || value.length > 1_024) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return waitMs(Number(text) * 1_000);
  const atMs = httpDateMs(text, now);
  return atMs === undefined ? undefined : untilMs(atMs, now);
}

/**
 * The wait one link of an error chain asks for. More exact statements go first: milliseconds, then
 * Retry-After, then an SDK's own field, then rate-limit headers. The last kind is sent with
 * every response, so it only counts when the limit was hit (429, or nothing remaining).
 */
export function retryAfterOf(
  link: {
    readonly headers: HeaderRecord;
    readonly status: number | undefined;
    readonly error: unknown;
  },
  now: Date,
): number | undefined {
  const { headers, status, error } = link;
  const limited =
    status === 429 ||
    (headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining'])?.trim() === '0';
  return (
    firstOf(MS_HEADERS, (name) => decimal(headers[name], 1)) ??
    parseRetryAfterMs(headers['retry-after'], now) ??
    firstOf(MS_FIELDS, (path) => decimal(readPath(error, path), 1)) ??
    firstOf(SECONDS_FIELDS, (path) => secondsField(readPath(error, path), now)) ??
    (limited ? firstOf(RESET_HEADERS, (name) => resetMs(headers[name], now)) : undefined)
  );
}

/** OpenAI, Azure (Cosmos DB), gRPC's pushback. */
const MS_HEADERS = ['retry-after-ms', 'x-ms-retry-after-ms', 'grpc-retry-pushback-ms'];
/** Azure SDKs and rate-limiter-flexible. */
const MS_FIELDS = ['retryAfterMs', 'retryAfterInMs', 'retry_after_ms', 'msBeforeNext'];
/** Slack and others, AWS (Lambda, Glue), Discord, Telegram. */
const SECONDS_FIELDS = [
  'retryAfter',
  'retryAfterSeconds',
  'retry_after',
  'rawError.retry_after',
  'response.data.retry_after',
  'response.body.retry_after',
  'parameters.retry_after',
  'response.data.parameters.retry_after',
  'response.body.parameters.retry_after',
];
/** Discord (seconds), the IETF draft (seconds), GitHub and others (Unix seconds). */
const RESET_HEADERS = [
  'x-ratelimit-reset-after',
  'ratelimit-reset',
  'x-ratelimit-reset',
  'x-rate-limit-reset',
];

/** Fields may hold fractions of a second, which a header may not. */
function secondsField(value: unknown, now: Date): number | undefined {
  return decimal(value, 1_000) ?? parseRetryAfterMs(value, now);
}

function resetMs(value: string | undefined, now: Date): number | undefined {
  const seconds = Number(value);
  if (decimal(value, 1_000) === undefined || seconds < EPOCH_SECONDS) return decimal(value, 1_000);
  return untilMs(seconds * 1_000, now);
}

function untilMs(atMs: number, now: Date): number | undefined {
  return waitMs(Math.max(0, atMs - now.getTime()));
}

function decimal(value: unknown, unitMs: number): number | undefined {
  if (typeof value === 'number') return waitMs(value * unitMs);
  if (typeof value !== 'string' || !/^\s*\d{1,20}(\.\d{1,20})?\s*$/.test(value)) return undefined;
  return waitMs(Number(value) * unitMs);
}

/** Whole, not negative, not longer than a date can hold. */
function waitMs(ms: number): number | undefined {
  if (Number.isNaN(ms) || ms < 0) return undefined;
  return Math.min(Math.ceil(ms), MAX_WAIT_MS);
}

function firstOf<Item>(
  items: readonly Item[],
  find: (item: Item) => number | undefined,
): number | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
