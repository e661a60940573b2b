import { err, fetchFailed, type Row, row, sys } from './row.ts';

const dns = (code: string) =>
  err('Error', `getaddrinfo ${code} payments.internal`, {
    code,
    syscall: 'getaddrinfo',
    hostname: 'payments.internal',
  });

export const NODE_NETWORK: readonly Row[] = [
  row('a refused connection', sys('ECONNREFUSED'), 'transient', 'network.refused'),
  row('a reset in mid-read', sys('ECONNRESET', 'read'), 'transient', 'network.reset'),
  row(
    'socket hang up',
    err('Error', 'socket hang up', { code: 'ECONNRESET' }),
    'transient',
    'network.reset',
  ),
  row(
    'a TLS handshake cut off',
    err(
      'Error',
      'Client network socket disconnected before secure TLS connection was established',
      { code: 'ECONNRESET' },
    ),
    'transient',
    'network.reset',
  ),
  row('a write after the peer closed', sys('EPIPE', 'write'), 'transient', 'network.reset'),
  row('an aborted socket', sys('ECONNABORTED', 'write'), 'transient', 'network.reset'),
  row(
    'a stream that ended too soon',
    err('Error', 'Premature close', { code: 'ERR_STREAM_PREMATURE_CLOSE' }),
    'transient',
    'network.reset',
  ),
  row('a connect timeout', sys('ETIMEDOUT'), 'transient', 'network.timeout'),
  row('a socket timeout of request', sys('ESOCKETTIMEDOUT'), 'transient', 'network.timeout'),
  row(
    'only the number of a timeout on Linux',
    { message: 'connect failed', errno: -110 },
    'transient',
    'network.timeout',
  ),
  row(
    'only the number of a reset on Linux',
    { message: 'read failed', errno: -104, syscall: 'read' },
    'transient',
    'network.reset',
  ),
  row(
    'an old error with the name in errno',
    { message: 'x', errno: 'ECONNREFUSED' },
    'transient',
    'network.refused',
  ),
  row('no route to the host', sys('EHOSTUNREACH'), 'transient', 'network.unreachable'),
  row('no network', sys('ENETUNREACH'), 'transient', 'network.unreachable'),
  row('a resolver that is away', dns('EAI_AGAIN'), 'transient', 'network.dns'),
  row('a resolver that failed', dns('EAI_FAIL'), 'transient', 'network.dns'),
  row(
    'c-ares timing out',
    err('Error', 'queryA ETIMEOUT x.test', { code: 'ETIMEOUT' }),
    'transient',
    'network.dns',
  ),
  row('a host that is not there', dns('ENOTFOUND'), 'transient', 'network.host-not-found'),
  row(
    'a broken TLS record',
    err('Error', 'write EPROTO … SSL routines:ssl3_get_record:wrong version number', {
      code: 'EPROTO',
    }),
    'transient',
    'network.tls-handshake',
  ),
  row(
    'OpenSSL refusing a version',
    err('Error', 'wrong version number', {
      code: 'ERR_SSL_WRONG_VERSION_NUMBER',
      library: 'SSL routines',
    }),
    'transient',
    'network.tls-handshake',
  ),
  row(
    'an HTTP/2 server going away',
    err('Error', 'New streams cannot be created after receiving a GOAWAY', {
      code: 'ERR_HTTP2_GOAWAY_SESSION',
    }),
    'transient',
    'network.http2',
  ),
  row(
    'an HTTP/2 stream reset',
    err('Error', 'Stream closed with error code NGHTTP2_REFUSED_STREAM', {
      code: 'ERR_HTTP2_STREAM_ERROR',
    }),
    'transient',
    'network.http2',
  ),
  row(
    'an answer that is no HTTP',
    err('Error', 'Parse Error: Expected HTTP/', { code: 'HPE_INVALID_CONSTANT' }),
    'transient',
    'network.http-parser',
  ),
  row('no file descriptors left', sys('EMFILE', 'open'), 'backpressure', 'network.out-of-sockets'),
  row('no local ports left', sys('EADDRNOTAVAIL'), 'backpressure', 'network.out-of-sockets'),
  row('a busy resource', sys('EBUSY', 'open'), 'transient', 'network.busy'),
];

const cert = (code: string, message = 'certificate trouble') => err('Error', message, { code });

export const TLS: readonly Row[] = [
  row(
    'an expired certificate',
    cert('CERT_HAS_EXPIRED', 'certificate has expired'),
    'security',
    'tls.certificate',
  ),
  row('a certificate from tomorrow', cert('CERT_NOT_YET_VALID'), 'security', 'tls.certificate'),
  row(
    'a certificate for another name',
    cert('ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames"),
    'security',
    'tls.certificate',
  ),
  row('an unknown issuer', cert('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'security', 'tls.certificate'),
  row(
    'an unknown issuer, found locally',
    cert('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
    'security',
    'tls.certificate',
  ),
  row(
    'a self-signed certificate',
    cert('DEPTH_ZERO_SELF_SIGNED_CERT'),
    'security',
    'tls.certificate',
  ),
  row(
    'a self-signed certificate in the chain',
    cert('SELF_SIGNED_CERT_IN_CHAIN'),
    'security',
    'tls.certificate',
  ),
  row('a revoked certificate', cert('CERT_REVOKED'), 'security', 'tls.certificate'),
  row(
    'certificate trouble behind fetch',
    fetchFailed(cert('CERT_HAS_EXPIRED')),
    'security',
    'tls.certificate',
  ),
  row(
    'certificate trouble told only in words',
    new Error('request to https://x.test failed, reason: self-signed certificate'),
    'security',
    'tls.certificate',
  ),
  row(
    'our certificate refused by the peer',
    cert('ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'),
    'security',
    'tls.alert',
  ),
  row(
    'our issuer unknown to the peer',
    cert('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'),
    'security',
    'tls.alert',
  ),
];

const undici = (name: string, code: string) => err(name, name, { code });

export const FETCH: readonly Row[] = [
  row(
    'undici: connect timeout',
    fetchFailed(undici('ConnectTimeoutError', 'UND_ERR_CONNECT_TIMEOUT')),
    'transient',
    'fetch.timeout',
  ),
  row(
    'undici: headers timeout',
    fetchFailed(undici('HeadersTimeoutError', 'UND_ERR_HEADERS_TIMEOUT')),
    'transient',
    'fetch.timeout',
  ),
  row(
    'undici: body timeout',
    new TypeError('terminated', { cause: undici('BodyTimeoutError', 'UND_ERR_BODY_TIMEOUT') }),
    'transient',
    'fetch.timeout',
  ),
  row(
    'undici: other side closed',
    fetchFailed(undici('SocketError', 'UND_ERR_SOCKET')),
    'transient',
    'fetch.socket',
  ),
  row(
    'undici: client closed',
    undici('ClientClosedError', 'UND_ERR_CLOSED'),
    'transient',
    'fetch.socket',
  ),
  row(
    'undici: half a body',
    undici('ResponseContentLengthMismatchError', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
    'transient',
    'fetch.socket',
  ),
  row('undici: refused below', fetchFailed(sys('ECONNREFUSED')), 'transient', 'network.refused'),
  row('undici: DNS below', fetchFailed(dns('EAI_AGAIN')), 'transient', 'network.dns'),
  row('fetch failed without a cause', new TypeError('fetch failed'), 'transient', 'fetch.failed'),
  row('a body cut off', new TypeError('terminated'), 'transient', 'fetch.failed'),
  row('Chrome’s wording', new TypeError('Failed to fetch'), 'transient', 'fetch.failed'),
  row('Safari’s wording', new TypeError('Load failed'), 'transient', 'fetch.failed'),
  row(
    'Firefox’s wording',
    new TypeError('NetworkError when attempting to fetch resource.'),
    'transient',
    'fetch.failed',
  ),
  row(
    'an invalid URL below fetch',
    fetchFailed(err('TypeError', 'Invalid URL', { code: 'ERR_INVALID_URL', input: 'x' })),
    'bug',
    'fetch.unusable-request',
  ),
  row(
    'a URL that fetch can’t parse',
    new TypeError('Failed to parse URL from nope'),
    'bug',
    'fetch.unusable-request',
  ),
  row(
    'an unknown scheme',
    fetchFailed(new Error('unknown scheme')),
    'bug',
    'fetch.unusable-request',
  ),
  row('a forbidden port', fetchFailed(new Error('bad port')), 'bug', 'fetch.unusable-request'),
  row(
    'an argument undici refuses',
    undici('InvalidArgumentError', 'UND_ERR_INVALID_ARG'),
    'bug',
    'fetch.unusable-request',
  ),
  row(
    'a header with a line break',
    err('TypeError', 'Invalid character in header content ["x"]', { code: 'ERR_INVALID_CHAR' }),
    'bug',
    'fetch.unusable-request',
  ),
  row(
    'an answer over the limit',
    undici('ResponseExceededMaxSizeError', 'UND_ERR_RES_EXCEEDED_MAX_SIZE'),
    'invalid',
    'fetch.answer-too-large',
  ),
  row(
    'redirects without end',
    fetchFailed(new Error('redirect count exceeded')),
    'invalid',
    'fetch.too-many-redirects',
  ),
  row(
    'a body read twice is our mistake',
    new TypeError('Body is unusable: Body has already been read'),
    'bug',
    'programming.type-error',
  ),
  row(
    'node-fetch: a system error',
    err('FetchError', 'request to http://x.test/ failed, reason: ', {
      type: 'system',
      errno: 'ECONNREFUSED',
      code: 'ECONNREFUSED',
    }),
    'transient',
    'network.refused',
  ),
  row(
    'node-fetch: a system error without code',
    err('FetchError', 'request failed', { type: 'system' }),
    'transient',
    'fetch.failed',
  ),
  row(
    'node-fetch: a timeout',
    err('FetchError', 'network timeout at: http://x.test/', { type: 'request-timeout' }),
    'transient',
    'fetch.timeout',
  ),
  row(
    'node-fetch: too large',
    err('FetchError', 'content size over limit', { type: 'max-size' }),
    'invalid',
    'fetch.answer-too-large',
  ),
  row(
    'got: a timeout',
    err('TimeoutError', "Timeout awaiting 'request' for 500ms", {
      code: 'ETIMEDOUT',
      event: 'request',
    }),
    'transient',
    'abort.timeout',
  ),
  row(
    'got: a request error',
    err('RequestError', 'connect ECONNREFUSED', { code: 'ECONNREFUSED' }),
    'transient',
    'network.refused',
  ),
  row(
    'got: a read error',
    err('ReadError', 'The server aborted pending request', {
      code: 'ERR_READ',
      response: { statusCode: 200 },
    }),
    'transient',
    'fetch.read-failed',
  ),
  row(
    'got: a 404',
    err('HTTPError', 'Response code 404 (Not Found)', {
      code: 'ERR_NON_2XX_3XX_RESPONSE',
      response: { statusCode: 404 },
    }),
    'invalid',
    'http.not-found',
  ),
  row(
    'ky: a 502',
    err('HTTPError', 'Request failed with status code 502', {
      response: { status: 502, headers: new Headers() },
    }),
    'transient',
    'http.gateway',
  ),
];

const axios = (code: string, message: string, status?: number) =>
  err('AxiosError', message, {
    isAxiosError: true,
    code,
    config: { url: 'https://x.test/' },
    ...(status !== undefined && { status, response: { status, headers: {}, data: {} } }),
  });

export const AXIOS: readonly Row[] = [
  row(
    'axios: a timeout of its own',
    axios('ECONNABORTED', 'timeout of 1000ms exceeded'),
    'transient',
    'network.timeout',
  ),
  row('axios: no answer', axios('ERR_NETWORK', 'Network Error'), 'transient', 'axios.network'),
  row(
    'axios: refused',
    axios('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:80'),
    'transient',
    'network.refused',
  ),
  row(
    'axios: cancelled',
    err('CanceledError', 'canceled', { code: 'ERR_CANCELED' }),
    'transient',
    'axios.canceled',
  ),
  row(
    'axios: 503',
    axios('ERR_BAD_RESPONSE', 'Request failed with status code 503', 503),
    'transient',
    'http.gateway',
  ),
  row(
    'axios: 500',
    axios('ERR_BAD_RESPONSE', 'Request failed with status code 500', 500),
    'transient',
    'http.server-error',
  ),
  row(
    'axios: 501',
    axios('ERR_BAD_RESPONSE', 'Request failed with status code 501', 501),
    'invalid',
    'http.not-implemented',
  ),
  row(
    'axios: 400',
    axios('ERR_BAD_REQUEST', 'Request failed with status code 400', 400),
    'invalid',
    'http.client-error',
  ),
  row(
    'axios: 401',
    axios('ERR_BAD_REQUEST', 'Request failed with status code 401', 401),
    'security',
    'http.unauthorized',
  ),
  row(
    'axios: 409',
    axios('ERR_BAD_REQUEST', 'Request failed with status code 409', 409),
    'stale',
    'http.conflict',
  ),
  row(
    'axios: 429',
    axios('ERR_BAD_REQUEST', 'Request failed with status code 429', 429),
    'backpressure',
    'http.too-many-requests',
  ),
  row(
    'axios: an answer cut off',
    axios('ERR_BAD_RESPONSE', 'stream has been aborted'),
    'transient',
    'axios.unreadable-answer',
  ),
  row(
    'axios: an answer over the limit',
    axios('ERR_BAD_RESPONSE', 'maxContentLength size of 100 exceeded'),
    'invalid',
    'axios.answer-too-large',
  ),
  row(
    'axios: a request it refuses',
    axios('ERR_BAD_REQUEST', 'Unsupported protocol'),
    'invalid',
    'axios.refused-request',
  ),
  row(
    'axios: an unknown option',
    axios('ERR_BAD_OPTION', 'Unknown option x'),
    'bug',
    'axios.bad-option',
  ),
];

export const ABORT: readonly Row[] = [
  row(
    'AbortController without a reason',
    new DOMException('This operation was aborted', 'AbortError'),
    'transient',
    'abort.aborted',
  ),
  row(
    'AbortSignal.timeout',
    new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
    'transient',
    'abort.timeout',
  ),
  row(
    'Node’s AbortError',
    err('AbortError', 'The operation was aborted', { code: 'ABORT_ERR' }),
    'transient',
    'abort.aborted',
  ),
  row(
    'an abort told as JSON',
    { name: 'AbortError', message: 'This operation was aborted', code: 20 },
    'transient',
    'abort.aborted',
  ),
  row(
    'undici’s abort',
    err('Error', 'aborted', { code: 'UND_ERR_ABORTED' }),
    'transient',
    'abort.aborted',
  ),
  row(
    'the deadline of the product itself',
    err('HandlerTimeout', 'ran longer than 30s', { code: 'LAYOVER_HANDLER_TIMEOUT' }),
    'transient',
    'abort.handler-timeout',
  ),
  row(
    'fetch with an aborted signal',
    new Error('charge failed', { cause: new DOMException('aborted', 'AbortError') }),
    'transient',
    'abort.aborted',
  ),
];
