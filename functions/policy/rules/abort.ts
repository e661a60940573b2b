/**
 * Calls that were cancelled. What cancels a handler's call is a deadline, its own or the invocation's,
 * so they are transient: nothing is known against the message.
 */
import type { KeyedRule } from './lookup.ts';
import { code, codeLike, named, rule } from './match.ts';

export const ABORT_RULES: readonly KeyedRule[] = [
  // The reason the consumer's own signal carries.
  rule(
    'abort.handler-timeout',
    'transient',
    codeLike(/^LAYOVER_(HANDLER_TIMEOUT|TIMEOUT|DEADLINE|ABORTED)$/),
  ),
  rule(
    'abort.timeout',
    'transient',
    named(
      'TimeoutError',
      'ConnectionTimeoutError',
      'APIConnectionTimeoutError',
      'SocketTimeoutError',
      'PromiseTimeoutError',
    ),
  ),
  rule(
    'abort.aborted',
    'transient',
    named('AbortError', 'APIUserAbortError', 'RequestAbortedError'),
    code('ABORT_ERR', 'UND_ERR_ABORTED', 'UND_ERR_ABORT', 'ERR_ABORTED'),
  ),
];
