/** Last resort: an error's own word on whether to try again, and telling names and messages. */
import type { KeyedRule } from './lookup.ts';
import { type Condition, code, field, fieldAt, message, named, needing, rule } from './match.ts';

const graphql = (...codes: readonly string[]): Condition =>
  needing(['field:extensions'], (error) =>
    codes.includes(String(fieldAt(error, 'extensions.code'))),
  );

/** Names SDKs like to use, for errors that carry no status. */
export const HINT_RULES: readonly KeyedRule[] = [
  rule(
    'sdk.rate-limited',
    'backpressure',
    named(
      'RateLimitError',
      'RateLimitedError',
      'RateLimitExceededError',
      'TooManyRequestsError',
      'ThrottledError',
      'ThrottlingError',
      'QuotaExceededError',
      'RateLimiterRes',
      'BulkheadRejectedError',
    ),
    code(
      'rate_limit_exceeded',
      'rate_limited',
      'slack_webapi_rate_limited_error',
      'too_many_requests',
      'TOO_MANY_REQUESTS',
      'RATE_LIMITED',
    ),
    graphql('THROTTLED', 'RATE_LIMITED'),
    needing(['field:msBeforeNext'], (error) => error.fields.msBeforeNext !== undefined),
  ),
  rule(
    'sdk.pool-exhausted',
    'backpressure',
    message(
      /\b(pool (is )?(exhausted|full|timed? ?out)|timeout acquiring a connection|too many (open )?connections|queue limit reached)\b/i,
    ),
  ),
  rule(
    'sdk.unauthorized',
    'security',
    named(
      'AuthenticationError',
      'UnauthorizedError',
      'ForbiddenError',
      'PermissionDeniedError',
      'PermissionError',
      'NotAuthorizedError',
      'AccessDeniedError',
      'InvalidTokenError',
      'JsonWebTokenError',
      'TokenExpiredError',
    ),
    graphql('UNAUTHENTICATED', 'FORBIDDEN'),
  ),
  rule(
    'sdk.stale',
    'stale',
    named(
      'ConflictError',
      'PreconditionFailedError',
      'OptimisticLockError',
      'OptimisticLockVersionMismatchError',
      'OptimisticLockingError',
      'StaleObjectStateError',
      'VersionConflictError',
      'ConcurrencyError',
      'WrongExpectedVersionError',
      'VersionError',
    ),
    code('VERSION_CONFLICT', 'ERR_VERSION_CONFLICT'),
  ),
  rule(
    'sdk.invalid',
    'invalid',
    named(
      'BadRequestError',
      'NotFoundError',
      'UnprocessableEntityError',
      'UnprocessableError',
      'InvalidRequestError',
      'InvalidArgumentError',
      'EntityNotFoundError',
      'EntityNotFound',
    ),
    graphql('BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED', 'GRAPHQL_PARSE_FAILED', 'NOT_FOUND'),
  ),
  rule(
    'sdk.unavailable',
    'transient',
    named(
      'APIConnectionError',
      'ConnectionError',
      'ServiceUnavailableError',
      'InternalServerError',
      'BadGatewayError',
      'GatewayTimeoutError',
      'RequestTimeoutError',
      'BrokenCircuitError',
      'OpenCircuitError',
      'CircuitBreakerOpenError',
    ),
    code('EOPENBREAKER'),
    graphql('INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'TIMEOUT'),
  ),
  // kafkajs, the AWS SDK (v2's flag, v3's trait), MongoDB's and many others.
  rule(
    'hint.retryable',
    'transient',
    field('retryable', true),
    field('retriable', true),
    field('isRetryable', true),
    needing(
      ['field:$retryable'],
      ({ fields }) => typeof fields.$retryable === 'object' && fields.$retryable !== null,
    ),
  ),
  rule('hint.server-fault', 'transient', field('$fault', 'server')),
  // Rewrapped as text: `new Error(error.message)`.
  rule(
    'hint.network-message',
    'transient',
    message(
      /\b(ECONNRESET|ECONNREFUSED|ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|^socket hang up$/,
    ),
  ),
  rule(
    'hint.timeout-message',
    'transient',
    message(
      /\b(timed out|timeout (of [\d.]+ ?(ms|s|seconds?) )?exceeded|(request|connection|connect|read|query|operation) time(d )?-?out)\b/i,
    ),
  ),
  rule(
    'hint.rate-limit-message',
    'backpressure',
    message(/\b(too many requests|rate limit(ed)? (exceeded|reached)|rate exceeded)\b/i),
  ),
];
