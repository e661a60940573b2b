import type { BrokerConfig } from './types.ts';

/** A broker setting that can't be used. The message names the setting, the value and the way out. */
export class BrokerConfigError extends Error {
  override readonly name = 'BrokerConfigError';
  readonly code = 'BAD_BROKER_CONFIG';
}

/** Everything needed to open a connection; the password is in it, so it is never printed. */
export interface BrokerTarget {
  readonly protocol: 'amqp' | 'amqps';
  readonly hostname: string;
  readonly port: number;
  readonly vhost: string;
  readonly username: string;
  readonly password: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads where the broker is: `AMQP_URL` (local runs, tests), or `LAYOVER_BROKER_HOST` with
 * `LAYOVER_BROKER_SECRET_ARN`, `LAYOVER_BROKER_PORT` (default 5671) and `LAYOVER_BROKER_VHOST`
 * (default `/`), which is always TLS. An empty value counts as absent.
 * @throws BrokerConfigError when neither, both, or something unusable is given.
 */
export function brokerConfig(env: Environment): BrokerConfig {
  const url = env.AMQP_URL || undefined;
  const host = env.LAYOVER_BROKER_HOST || undefined;
  if (url !== undefined && host !== undefined) {
    throw new BrokerConfigError(
      `AMQP_URL and LAYOVER_BROKER_HOST are both set (${maskUrl(url)}, ${host}); unset one of them.`,
    );
  }
  if (url !== undefined) {
    targetOfUrl(url);
    return { kind: 'url', url };
  }
  if (host === undefined) {
    throw new BrokerConfigError(
      'No broker is configured: set AMQP_URL, or LAYOVER_BROKER_HOST and LAYOVER_BROKER_SECRET_ARN.',
    );
  }
  if (!/^[A-Za-z0-9.-]+$/.test(host)) {
    throw new BrokerConfigError(
      `LAYOVER_BROKER_HOST must be a host name alone, got "${host}"; give no scheme, port or path.`,
    );
  }
  const secretArn = env.LAYOVER_BROKER_SECRET_ARN || undefined;
  if (secretArn === undefined) {
    throw new BrokerConfigError(
      `LAYOVER_BROKER_SECRET_ARN is missing beside LAYOVER_BROKER_HOST "${host}"; set it to the secret with username and password.`,
    );
  }
  return {
    kind: 'secret',
    host,
    port: parsePort(env.LAYOVER_BROKER_PORT || '5671'),
    vhost: env.LAYOVER_BROKER_VHOST || '/',
    secretArn,
  };
}

/**
 * Takes an AMQP URL apart. User and password default to guest, the port to 5672 (amqps: 5671),
 * no path or a bare `/` to the virtual host `/`.
 * @throws BrokerConfigError when it is no usable AMQP URL; the password is never in the message.
 */
export function targetOfUrl(text: string): BrokerTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'amqp:' && url.protocol !== 'amqps:')) {
    throw new BrokerConfigError(
      `AMQP_URL must look like amqp://user:password@host:5672/vhost, got "${maskUrl(text)}".`,
    );
  }
  if (url.hostname === '') {
    throw new BrokerConfigError(`AMQP_URL has no host: "${maskUrl(text)}".`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new BrokerConfigError(
      `AMQP_URL must have no query, got "${url.search}${url.hash}"; heartbeat, frame size and TLS are Layover's to set.`,
    );
  }
  const vhost = url.pathname.replace(/^\//, '');
  if (vhost.includes('/')) {
    throw new BrokerConfigError(
      `AMQP_URL names more than one virtual host: "${url.pathname}"; write a slash inside a name as %2F.`,
    );
  }
  const protocol = url.protocol === 'amqps:' ? 'amqps' : 'amqp';
  const anonymous = url.username === '' && url.password === '';
  return {
    protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (protocol === 'amqps' ? 5671 : 5672) : Number(url.port),
    vhost: vhost === '' ? '/' : decode(vhost, text),
    username: anonymous ? 'guest' : decode(url.username, text),
    password: anonymous ? 'guest' : decode(url.password, text),
  };
}

/** The URL with its password as `***`, fit for logs. Text that is no URL is masked as a whole after `://`. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return text.replace(/(:\/\/).*@/s, '$1***@');
  return text.replace(/^([^:/?#]+:\/\/[^:@/?#]*):[^/?#]*@/, '$1:***@');
}

/** What a person recognises the broker by, without credentials: `amqps://host:5671/vhost`. */
export function brokerName(config: BrokerConfig): string {
  if (config.kind === 'url') return maskUrl(config.url);
  const vhost = config.vhost === '/' ? '' : `/${encodeURIComponent(config.vhost)}`;
  return `amqps://${config.host}:${config.port}${vhost}`;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
    throw new BrokerConfigError(
      `LAYOVER_BROKER_PORT must be a whole number from 1 to 65535, got "${text}".`,
    );
  }
  return port;
}

function decode(part: string, whole: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new BrokerConfigError(
      `AMQP_URL has a broken percent escape: "${maskUrl(whole)}"; write a literal % as %25.`,
      { cause },
    );
  }
}
