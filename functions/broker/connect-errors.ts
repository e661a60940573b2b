import type { BrokerTarget } from './config.ts';
import { ConnectionError } from './errors.ts';

const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|EPROTO$)/;

/**
 * Names what went wrong while connecting. amqplib gives plain errors: a socket's carries a code, a refused
 * login only the text "Handshake terminated by server: 403 (ACCESS-REFUSED) …", and the reason of a
 * refused virtual host not even that.
 */
export function toConnectError(cause: unknown, target: BrokerTarget): ConnectionError {
  if (cause instanceof ConnectionError) return cause;
  const where = `${target.protocol}://${target.hostname}:${target.port}`;
  const code = codeOf(cause);
  const text = cause instanceof Error ? cause.message : String(cause);
  if (code !== undefined && TLS_CODES.test(code)) {
    return new ConnectionError(
      'TLS',
      `TLS with ${where} failed: ${code}. For a private authority set NODE_EXTRA_CA_CERTS.`,
      { cause },
    );
  }
  if (/ACCESS[-_]REFUSED/.test(text)) {
    return new ConnectionError(
      'ACCESS_REFUSED',
      `${where} refused the login of user "${target.username}".`,
      { cause },
    );
  }
  if (text.includes('got <ConnectionClose')) {
    return new ConnectionError(
      'CONNECT_FAILED',
      `${where} closed the connection instead of opening virtual host "${target.vhost}": it may not exist, or user "${target.username}" may not use it.`,
      { cause },
    );
  }
  return new ConnectionError('CONNECT_FAILED', `${where} can't be reached: ${code ?? text}.`, {
    cause,
  });
}

/** The code of an error, or of the first member of an AggregateError (one per address tried). */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined;
}
