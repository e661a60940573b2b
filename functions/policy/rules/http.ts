/**
 * HTTP statuses (RFC 9110 and what proxies made up), for any client. In a chain with several, what
 * is most specific goes first: a 429 behind somebody's own 500 is a 429.
 */
import type { KeyedRule } from './lookup.ts';
import { all, type Condition, fieldAt, needing, rule } from './match.ts';

const status = (...statuses: readonly number[]): Condition =>
  needing(['status'], (error) => error.status !== undefined && statuses.includes(error.status));

const between = (from: number, to: number): Condition =>
  needing(
    ['status'],
    (error) => error.status !== undefined && error.status >= from && error.status <= to,
  );

/** GitHub and others answer 403 when a rate limit is used up. */
const usedUp: Condition = all(
  status(403),
  (error) =>
    fieldAt(error, 'headers.retry-after') !== undefined ||
    fieldAt(error, 'headers.x-ratelimit-remaining') === '0',
);

/** Asked to slow down: said so plainly that it goes before what services call it. */
export const HTTP_LIMIT_RULES: readonly KeyedRule[] = [
  rule('http.too-many-requests', 'backpressure', status(429), usedUp),
  // A Retry-After in the past asks for nothing any more.
  rule(
    'http.unavailable-retry-after',
    'backpressure',
    all(status(503), (_error, whole) => (whole.retryAfterMs ?? 0) > 0),
  ),
];

export const HTTP_RULES: readonly KeyedRule[] = [
  rule('http.unauthorized', 'security', status(401, 407)),
  rule('http.forbidden', 'security', status(403)),
  rule('http.conflict', 'stale', status(409)),
  rule('http.precondition-failed', 'stale', status(412)),
  rule('http.request-timeout', 'transient', status(408)),
  rule('http.too-early', 'transient', status(425)),
  rule('http.not-found', 'invalid', status(404, 410)),
  rule('http.unprocessable', 'invalid', status(422)),
  rule('http.client-error', 'invalid', between(400, 499)),
  rule('http.not-implemented', 'invalid', status(501, 505)),
  rule('http.gateway', 'transient', status(502, 503, 504)),
  // 500, Cloudflare's 520 to 530, and any other 5xx nobody named.
  rule('http.server-error', 'transient', between(500, 599)),
];
