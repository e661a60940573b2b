import { createLogin } from '../broker/login.ts';
import { openParkingReader } from '../broker/parking-reader.ts';
import { createSession } from '../broker/session.ts';
import type { BrokerConfig } from '../broker/types.ts';
import { parkedLockName, parkedQueueName } from '../topology/names.ts';
import type { ReplayPorts } from './ports.ts';

export interface BrokerSide extends Pick<ReplayPorts, 'openParking' | 'publish'> {
  close(): Promise<void>;
}

/**
 * Reading and publishing on connections of their own: a broker in a resource alarm stops reading from
 * connections that publish, and what is held must still be given up or given back.
 */
export function createBrokerSide(config: BrokerConfig, now: () => number): BrokerSide {
  const session = createSession(config, { connectionName: 'layover replay', now });
  const login = createLogin(config, { connectionName: 'layover parking', now });
  return {
    openParking: (workQueue, deadlineAtMs) =>
      openParkingReader(login, {
        queue: parkedQueueName(workQueue),
        lock: parkedLockName(workQueue),
        now,
        deadlineAtMs,
      }),
    publish: (copy, deadlineAtMs) => session.publish(copy, deadlineAtMs),
    close: () => session.close(),
  };
}
