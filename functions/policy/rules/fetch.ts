/** fetch as Node has it (undici), node-fetch, got and ky. */
import type { KeyedRule } from './lookup.ts';
import { all, code, field, message, named, not, rule } from './match.ts';

/** A request that could never be sent. Before the network rules: undici wraps these alike. */
export const FETCH_MISUSE_RULES: readonly KeyedRule[] = [
  rule(
    'fetch.unusable-request',
    'bug',
    code(
      'ERR_INVALID_URL',
      'ERR_INVALID_PROTOCOL',
      'ERR_UNESCAPED_CHARACTERS',
      'ERR_INVALID_HTTP_TOKEN',
      'ERR_INVALID_CHAR',
      'ERR_INVALID_ARG_TYPE',
      'ERR_INVALID_ARG_VALUE',
      'UND_ERR_INVALID_ARG',
      'UND_ERR_INVALID_RETURN_VALUE',
      'UND_ERR_NOT_SUPPORTED',
      'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
      'ERR_UNSUPPORTED_PROTOCOL',
    ),
    message(
      /^(Failed to parse URL|Invalid URL|Only absolute URLs are supported|Request cannot be constructed from a URL that includes credentials|unknown scheme|bad port|URL scheme must be a HTTP)/i,
    ),
  ),
  // The answer is too big for the limits set here; it will be so again.
  rule(
    'fetch.answer-too-large',
    'invalid',
    code('UND_ERR_RES_EXCEEDED_MAX_SIZE', 'UND_ERR_HEADERS_OVERFLOW'),
    all(named('FetchError'), field('type', 'max-size')),
  ),
  rule(
    'fetch.too-many-redirects',
    'invalid',
    code('ERR_TOO_MANY_REDIRECTS', 'ERR_FR_TOO_MANY_REDIRECTS'),
    named('MaxRedirectsError'),
    all(named('FetchError'), field('type', 'max-redirect', 'invalid-redirect', 'no-redirect')),
    message(/^redirect count exceeded/i),
  ),
];

export const FETCH_RULES: readonly KeyedRule[] = [
  rule(
    'fetch.timeout',
    'transient',
    code('UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'),
    all(named('FetchError'), field('type', 'request-timeout', 'body-timeout')),
  ),
  rule(
    'fetch.socket',
    'transient',
    code(
      'UND_ERR_SOCKET',
      'UND_ERR_CLOSED',
      'UND_ERR_DESTROYED',
      'UND_ERR_INFO',
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      'UND_ERR_REQ_RETRY',
      'UND_ERR_PRX_TLS',
      'UND_ERR_BPL_MISSED_UPSTREAM',
    ),
  ),
  rule(
    'fetch.read-failed',
    'transient',
    named('ReadError', 'UploadError', 'SocketError', 'ConnectTimeoutError'),
  ),
  // TypeErrors that are none of ours: what fetch says in Node, Chrome, Safari, Firefox, Bun and Deno.
  rule(
    'fetch.failed',
    'transient',
    all(
      named('TypeError'),
      message(
        /^(fetch failed|terminated|Failed to fetch|Load failed|network error|NetworkError when attempting to fetch|error sending request|The network connection was lost)/i,
      ),
      not(message(/Body is unusable/i)),
    ),
    all(named('FetchError'), field('type', 'system')),
    named('FetchError', 'NetworkError'),
  ),
];
