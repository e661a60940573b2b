/** Sockets, DNS, TLS handshakes and HTTP/2 sessions of Node itself. */
import type { KeyedRule } from './lookup.ts';
import { all, code, codeLike, message, rule } from './match.ts';

export const NODE_NETWORK_RULES: readonly KeyedRule[] = [
  // Our own limits: file descriptors and local ports run out under load.
  rule('network.out-of-sockets', 'backpressure', code('EMFILE', 'ENFILE', 'EADDRNOTAVAIL')),
  rule('network.refused', 'transient', code('ECONNREFUSED')),
  rule(
    'network.timeout',
    'transient',
    code(
      'ETIMEDOUT',
      'ESOCKETTIMEDOUT',
      'ETIME',
      'ERR_SOCKET_CONNECTION_TIMEOUT',
      'ERR_HTTP_REQUEST_TIMEOUT',
      'ERR_TLS_HANDSHAKE_TIMEOUT',
    ),
    // What axios makes of its own timeout.
    all(code('ECONNABORTED'), message(/timeout/i)),
  ),
  rule(
    'network.reset',
    'transient',
    code(
      'ECONNRESET',
      'ECONNABORTED',
      'EPIPE',
      'ENETRESET',
      'ENOTCONN',
      'ERR_SOCKET_CLOSED',
      'ERR_STREAM_PREMATURE_CLOSE',
      'ERR_STREAM_DESTROYED',
      'ERR_STREAM_WRITE_AFTER_END',
    ),
  ),
  rule(
    'network.unreachable',
    'transient',
    code('EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'),
  ),
  // The resolver could not answer, now; and the resolver said there is no such host. The latter is
  // either a passing hole in DNS or somebody's typing error: nothing the message is guilty of.
  rule(
    'network.dns',
    'transient',
    code(
      'EAI_AGAIN',
      'EAI_FAIL',
      'EAI_NODATA',
      'EAI_MEMORY',
      'ESERVFAIL',
      'EREFUSED',
      'ETIMEOUT',
      'ENODATA',
      'ECANCELLED',
      'EDESTRUCTION',
      'EBADRESP',
    ),
  ),
  rule('network.host-not-found', 'transient', code('ENOTFOUND', 'EAI_NONAME', 'ENONAME')),
  rule('network.tls-handshake', 'transient', code('EPROTO'), codeLike(/^ERR_SSL_/)),
  rule(
    'network.http2',
    'transient',
    code(
      'ERR_HTTP2_GOAWAY_SESSION',
      'ERR_HTTP2_INVALID_SESSION',
      'ERR_HTTP2_INVALID_STREAM',
      'ERR_HTTP2_PING_CANCEL',
      'ERR_HTTP2_SESSION_ERROR',
      'ERR_HTTP2_STREAM_CANCEL',
      'ERR_HTTP2_STREAM_ERROR',
      'ERR_HTTP2_SOCKET_UNBOUND',
      'ERR_HTTP2_MAX_PENDING_SETTINGS_ACK',
      'ERR_HTTP2_ERROR',
    ),
  ),
  // A peer that answers with something that is no HTTP: a proxy being restarted, half an answer.
  rule('network.http-parser', 'transient', codeLike(/^HPE_/)),
  rule('network.busy', 'transient', code('EAGAIN', 'EBUSY', 'EINTR')),
];
