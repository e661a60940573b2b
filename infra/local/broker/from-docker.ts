import { waitForBroker } from './connect.ts';
import { startKeeper } from './keeper.ts';
import { hasManagement } from './management.ts';
import { maskUrl } from './mask.ts';
import type { ChoiceContext, RunningBroker } from './types.ts';

/** The image when `LAYOVER_BROKER_IMAGE` names none. */
export const DEFAULT_IMAGE = 'rabbitmq:4.3-management';

const CONNECT_TIMEOUT_MS = 30_000;

/**
 * A container of `LAYOVER_BROKER_IMAGE`, by default `rabbitmq:4.3-management`; when that can be neither found
 * nor pulled, the newest `rabbitmq:*-management` that is here already. (An image somebody named is not replaced.)
 * Every step is bounded in time, since a daemon or a registry may simply not answer.
 */
export async function fromDocker({ print, env, signal }: ChoiceContext): Promise<RunningBroker> {
  const named = env.LAYOVER_BROKER_IMAGE?.trim();
  const keeper = await startKeeper(
    new URL('./docker-keeper.ts', import.meta.url),
    { image: named || DEFAULT_IMAGE, mayReplace: !named },
    {
      signal,
      onStep: (text) => print(`  ${text} …`),
      // Its reaper is an image of its own that would have to be pulled; the keeper does that work.
      env: { ...env, TESTCONTAINERS_RYUK_DISABLED: 'true' },
    },
  );
  try {
    const { amqpUrl, managementUrl } = keeper.data as { amqpUrl: string; managementUrl: string };
    const version = await waitForBroker(amqpUrl, {
      timeoutMs: CONNECT_TIMEOUT_MS,
      signal,
      gone: keeper.gone,
    });
    const managed = await hasManagement(managementUrl, amqpUrl);
    return {
      url: amqpUrl,
      maskedUrl: maskUrl(amqpUrl),
      version,
      ...(managed ? { managementUrl } : {}),
      source: 'docker',
      openedPorts: [amqpUrl, managementUrl].map((url) => Number(new URL(url).port)),
      stop: keeper.stop,
    };
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}
