import { setTimeout as sleep } from 'node:timers/promises';
import { waitForBroker } from './connect.ts';
import { ChoiceFailedError } from './errors.ts';
import { type Keeper, startKeeper } from './keeper.ts';
import { hasManagement } from './management.ts';
import { maskUrl } from './mask.ts';
import { type BrokerPorts, type Installation, isPortTaken } from './rabbitmq-config.ts';
import type { BrokerSource, ChoiceContext, RunningBroker } from './types.ts';

const TRIES = 3;
const CONNECT_TIMEOUT_MS = 60_000;
/** The management listener opens about when the AMQP one does, but not exactly. */
const MANAGEMENT_TIMEOUT_MS = 10_000;

/** A broker process of ours, and what a test wants to know of it. */
export interface BrokerProcess extends RunningBroker {
  readonly ports: BrokerPorts;
  readonly folder: string;
  readonly pid: number;
}

/**
 * Starts one broker process: everything on loopback, ports, node name, cookie and data folder of its own,
 * so that any number of them run side by side. It ends with `stop()` or with our process, however that ends.
 *
 * @param ports fixed ports; free ones are chosen by default
 * @throws ChoiceFailedError with what the broker printed, when it doesn't start or doesn't answer
 */
export async function startRabbitmqProcess(
  installation: Installation,
  source: BrokerSource,
  { print, signal, env }: ChoiceContext,
  ports?: Partial<BrokerPorts>,
): Promise<BrokerProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const keeper = await startKeeper(
        new URL('./rabbitmq-keeper.ts', import.meta.url),
        { installation, ports },
        { signal, env },
      );
      return await connected(keeper, installation, source, signal);
    } catch (error) {
      // Another process took a port between our look and the broker's: rare, and cured by other ports.
      const retryable = error instanceof ChoiceFailedError && isPortTaken(error.message);
      if (!retryable || attempt >= TRIES) throw error;
      print('  a port was taken meanwhile, trying others');
    }
  }
}

async function connected(
  keeper: Keeper,
  installation: Installation,
  source: BrokerSource,
  signal: AbortSignal | undefined,
): Promise<BrokerProcess> {
  try {
    const { ports, folder, pid } = keeper.data as Pick<BrokerProcess, 'ports' | 'folder' | 'pid'>;
    const url = `amqp://guest:guest@127.0.0.1:${ports.amqp}`;
    const version = await waitForBroker(url, {
      timeoutMs: CONNECT_TIMEOUT_MS,
      signal,
      gone: keeper.gone,
    });
    const managementUrl = `http://127.0.0.1:${ports.management}`;
    const managed = installation.hasManagement && (await managementAnswers(managementUrl, url));
    return {
      url,
      maskedUrl: maskUrl(url),
      version,
      ...(managed ? { managementUrl } : {}),
      source,
      openedPorts: [
        ports.amqp,
        ports.epmd,
        ports.distribution,
        ...(managed ? [ports.management] : []),
      ],
      stop: keeper.stop,
      ports,
      folder,
      pid,
    };
  } catch (error) {
    await keeper.stop();
    throw error;
  }
}

async function managementAnswers(managementUrl: string, url: string): Promise<boolean> {
  const endsAtMs = Date.now() + MANAGEMENT_TIMEOUT_MS;
  while (!(await hasManagement(managementUrl, url))) {
    if (Date.now() > endsAtMs) return false;
    await sleep(200);
  }
  return true;
}
