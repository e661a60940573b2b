/**
 * A worker in a process of its own that kills itself (SIGKILL: nothing is said, nothing is closed) at
 * the given step. Started by `test/integration/replay/kill.test.ts`.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createBrokerSide } from '../../functions/replay/broker-side.ts';
import { executeRun } from '../../functions/replay/execute.ts';
import type { Parking, ReplayPorts } from '../../functions/replay/ports.ts';
import { createReplayStore } from '../../functions/replay/store/replay-store.ts';
import { mortalStore } from './mortal.ts';
import { replayFlow } from './replay-world.ts';

const {
  AMQP_URL = '',
  FLOW = '',
  QUEUE = '',
  PLAN = '',
  STEPS = '',
  TABLE = '',
  AUDIT = '',
} = process.env;

let left = Number(STEPS);
const step = (_what: string): void => {
  left -= 1;
  if (left <= 0) process.kill(process.pid, 'SIGKILL');
};

const side = createBrokerSide({ kind: 'url', url: AMQP_URL }, Date.now);
const store = createReplayStore({
  client: new DynamoDBClient({}),
  tableName: TABLE,
  auditTableName: AUDIT,
});

/** Each step of the broker's side may be the last, before and after. */
function mortalParking(parking: Parking): Parking {
  const around = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
    step(`before ${what}`);
    const answer = await call();
    step(`after ${what}`);
    return answer;
  };
  return {
    get lost() {
      return parking.lost;
    },
    depth: () => around('depth', () => parking.depth()),
    scan: (options) => around('scan', () => parking.scan(options)),
    ack: (tag) => {
      step('acknowledge');
      parking.ack(tag);
    },
    hold: (tag) => parking.hold(tag),
    settle: () => around('settle', () => parking.settle()),
    release: () => around('release', () => parking.release()),
    close: () => parking.close(),
  };
}

const ports: ReplayPorts = {
  environment: 'local',
  vhost: '/',
  store: mortalStore(store, { step }),
  openParking: async (...args) => {
    step('open');
    return mortalParking(await side.openParking(...args));
  },
  publish: async (copy, deadlineAtMs) => {
    step('publish');
    await side.publish(copy, deadlineAtMs);
    step('confirmed');
  },
  killSwitch: async () => 'on',
  workStates: async (_flow, messages) => messages.map(() => ({ kind: 'read', value: 'none' })),
  exporter: { keep: () => Promise.reject(new Error('nothing is discarded here')) },
  log: () => undefined,
  now: Date.now,
  wait: async (ms, signal) => {
    await wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
  breathe: setImmediate,
  newId: () => randomUUID(),
};

await executeRun(ports, { ...replayFlow(FLOW), queue: QUEUE }, PLAN, {
  worker: `process ${process.pid}`,
  deadlineAtMs: Date.now() + 60_000,
});
await side.close();
