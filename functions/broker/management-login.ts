import { targetOfUrl } from './config.ts';
import { SecretCredentials } from './credentials.ts';
import { Management } from './management.ts';
import type { BrokerConfig } from './types.ts';

export interface ManagementLoginOptions {
  /** Where the API is when it isn't https on the broker's host: local runs and tests. */
  readonly managementUrl?: string;
  /** Epoch milliseconds. */
  readonly deadlineAtMs: number;
  readonly now: () => number;
  readonly timeoutMs?: number;
}

/**
 * The management API of the configured broker, with the user of its secret, read anew each time.
 * @throws ConnectionError `SECRET_UNREADABLE`.
 */
export async function managementOf(
  config: BrokerConfig,
  options: ManagementLoginOptions,
): Promise<Management> {
  const timeout = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs };
  if (config.kind === 'url') {
    const { hostname, username, password } = targetOfUrl(config.url);
    const baseUrl = options.managementUrl ?? `http://${hostname}:15672`;
    return new Management({ baseUrl, username, password, ...timeout });
  }
  const secret = new SecretCredentials(config.secretArn, options.now);
  const credentials = await secret.read({ fresh: true, deadlineAtMs: options.deadlineAtMs });
  const baseUrl = options.managementUrl ?? `https://${config.host}`;
  return new Management({ baseUrl, ...credentials, ...timeout });
}
