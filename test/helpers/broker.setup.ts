import type { TestProject } from 'vitest/node';
import { findBroker } from '../../infra/local/broker/find.ts';
import type { BrokerSource, RunningBroker } from '../../infra/local/broker/types.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    brokerUrl: string;
    brokerManagementUrl: string | undefined;
    brokerVersion: string;
    brokerSource: BrokerSource;
    brokerOpenedPorts: readonly number[];
  }
}

/** One broker for the whole run, however many projects ask for it. */
interface Shared {
  readonly broker: Promise<RunningBroker>;
  users: number;
}

// This file is loaded anew for every project of one run, so a variable of the module would not be shared.
const KEY = Symbol.for('layover.test.broker');
const shared = globalThis as typeof globalThis & { [KEY]?: Shared };

/**
 * vitest's global setup of the projects that need a real broker: `LAYOVER_TEST_AMQP_URL` if set, else what
 * `findBroker` gives. Hands it on as `LAYOVER_TEST_AMQP_URL`, `LAYOVER_TEST_MANAGEMENT_URL` and
 * `LAYOVER_TEST_BROKER_VERSION`. Without a broker the run fails; nothing is skipped.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared[KEY] ??= { broker: obtain(), users: 0 };
  const mine = shared[KEY];
  mine.users += 1;
  const { url, managementUrl, version, source, openedPorts } = await mine.broker;
  process.env.LAYOVER_TEST_AMQP_URL = url;
  process.env.LAYOVER_TEST_BROKER_VERSION = version;
  if (managementUrl !== undefined) process.env.LAYOVER_TEST_MANAGEMENT_URL = managementUrl;
  project.provide('brokerUrl', url);
  project.provide('brokerManagementUrl', managementUrl);
  project.provide('brokerVersion', version);
  project.provide('brokerSource', source);
  project.provide('brokerOpenedPorts', openedPorts);
  return async () => {
    mine.users -= 1;
    if (mine.users > 0) return;
    delete shared[KEY];
    await (await mine.broker).stop();
  };
}

function obtain(): Promise<RunningBroker> {
  const url = process.env.LAYOVER_TEST_AMQP_URL;
  const env = url ? { ...process.env, AMQP_URL: url, LAYOVER_BROKER: 'url' } : process.env;
  return findBroker({ print: (line) => console.log(line), env });
}
