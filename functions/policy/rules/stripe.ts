/** Stripe, and SDKs made like its: `type` and `code` say more than the status. */
import type { KeyedRule } from './lookup.ts';
import { all, code, field, named, rule } from './match.ts';

export const STRIPE_RULES: readonly KeyedRule[] = [
  // 409 and 429 that mean the same call is still running: the next try gets its answer.
  rule('stripe.key-in-use', 'transient', code('idempotency_key_in_use', 'lock_timeout')),
  rule(
    'stripe.rate-limited',
    'backpressure',
    named('StripeRateLimitError'),
    field('type', 'StripeRateLimitError', 'rate_limit_error'),
  ),
  rule(
    'stripe.access-denied',
    'security',
    named('StripeAuthenticationError', 'StripePermissionError', 'StripeSignatureVerificationError'),
    field(
      'type',
      'StripeAuthenticationError',
      'StripePermissionError',
      'authentication_error',
      'permission_error',
    ),
  ),
  rule(
    'stripe.declined',
    'invalid',
    named('StripeCardError'),
    field('type', 'StripeCardError', 'card_error'),
  ),
  rule(
    'stripe.rejected-request',
    'invalid',
    named('StripeInvalidRequestError', 'StripeIdempotencyError', 'StripeInvalidGrantError'),
    field('type', 'StripeInvalidRequestError', 'StripeIdempotencyError', 'idempotency_error'),
  ),
  rule(
    'stripe.unavailable',
    'transient',
    named('StripeConnectionError', 'StripeAPIError'),
    field('type', 'StripeConnectionError', 'StripeAPIError', 'api_error', 'overloaded_error'),
    all(field('rawType', 'api_error')),
  ),
];
