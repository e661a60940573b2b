import { readBrokerVersion } from './connect.ts';
import { ChoiceFailedError, reasonOf } from './errors.ts';
import { guessManagementUrl, hasManagement } from './management.ts';
import { maskSecretsOf, maskUrl } from './mask.ts';
import type { ChoiceContext, RunningBroker } from './types.ts';

/**
 * The broker of `AMQP_URL`: somebody else's, so `stop()` leaves it alone.
 * Its management API is `LAYOVER_MANAGEMENT_URL`, else looked for at the usual port.
 */
export async function fromUrl({ env }: ChoiceContext): Promise<RunningBroker> {
  const url = env.AMQP_URL?.trim();
  if (!url) throw new ChoiceFailedError('AMQP_URL is not set');
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== 'amqp:' && protocol !== 'amqps:') {
    throw new ChoiceFailedError(
      'AMQP_URL is not of the form amqp://user:password@host:port/vhost (or amqps://…)',
    );
  }
  const maskedUrl = maskUrl(url);
  let version: string;
  try {
    version = await readBrokerVersion(url);
  } catch (error) {
    throw new ChoiceFailedError(`${maskedUrl}: ${maskSecretsOf(url, reasonOf(error))}`, {
      cause: error,
    });
  }
  const managementUrl = env.LAYOVER_MANAGEMENT_URL?.replace(/\/+$/, '') || guessManagementUrl(url);
  const managed = await hasManagement(managementUrl, url);
  return {
    url,
    maskedUrl,
    version,
    ...(managed ? { managementUrl } : {}),
    source: 'AMQP_URL',
    openedPorts: [],
    stop: async () => {},
  };
}
