import { targetOfUrl } from './config.ts';
import { type BrokerConnection, openConnection } from './connection.ts';
import { SecretCredentials } from './credentials.ts';
import { ConnectionError } from './errors.ts';
import type { BrokerConfig } from './types.ts';

export interface LoginOptions {
  readonly connectionName: string;
  readonly now: () => number;
}

/** Opens a connection by `deadlineAtMs` (epoch milliseconds) or throws a ConnectionError. */
export type Login = (deadlineAtMs: number) => Promise<BrokerConnection>;

/**
 * Knows how to log in again and again. With a secret, a refused login reads it anew, once, and tries
 * once more: a warm container keeps the password of before the rotation. Refused again: it fails.
 */
export function createLogin(config: BrokerConfig, options: LoginOptions): Login {
  if (config.kind === 'url') {
    const target = targetOfUrl(config.url);
    return (deadlineAtMs) => openConnection(target, { ...options, deadlineAtMs });
  }
  const secret = new SecretCredentials(config.secretArn, options.now);
  const attempt = async (fresh: boolean, deadlineAtMs: number) => {
    const credentials = await secret.read({ fresh, deadlineAtMs });
    const { host: hostname, port, vhost } = config;
    return openConnection(
      { protocol: 'amqps', hostname, port, vhost, ...credentials },
      { ...options, deadlineAtMs },
    );
  };
  return async (deadlineAtMs) => {
    try {
      return await attempt(false, deadlineAtMs);
    } catch (error) {
      if (!(error instanceof ConnectionError) || error.code !== 'ACCESS_REFUSED') throw error;
      return attempt(true, deadlineAtMs);
    }
  };
}
