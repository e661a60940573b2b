/** The replay that is measured: its flow, its ports on the broker and tables of the environment. */
import { setImmediate } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { targetOfUrl } from '../../functions/broker/config.ts';
import { createBrokerSide } from '../../functions/replay/broker-side.ts';
import { executeRun } from '../../functions/replay/execute.ts';
import { makePlan } from '../../functions/replay/plan.ts';
import type { ReplayPorts } from '../../functions/replay/ports.ts';
import { startRun } from '../../functions/replay/start.ts';
import { createReplayStore } from '../../functions/replay/store/replay-store.ts';
import { parkedQueueName } from '../../functions/topology/names.ts';
import { benchFlow } from './flow.ts';

export const url = process.env.AMQP_URL ?? '';
export const flow = {
  ...benchFlow,
  name: 'bench-replay',
  queue: 'layover-bench-replay',
} as never as Parameters<typeof makePlan>[1];
export const parked = parkedQueueName(flow.queue);

export const config = { kind: 'url', url } as const;
export const side = createBrokerSide(config, Date.now);
export const ports: ReplayPorts = {
  environment: 'bench',
  vhost: targetOfUrl(url).vhost,
  store: createReplayStore({
    client: new DynamoDBClient({}),
    tableName: process.env.REPLAY_TABLE ?? '',
    auditTableName: process.env.AUDIT_TABLE ?? '',
  }),
  ...side,
  killSwitch: async () => 'on',
  workStates: async (_flow, messages) => messages.map(() => ({ kind: 'read', value: 'none' })),
  exporter: { keep: () => Promise.reject(new Error('nothing is discarded here')) },
  log: (lines) => process.stdout.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`),
  now: Date.now,
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  breathe: setImmediate,
  newId: () => crypto.randomUUID(),
};

/** Plans and starts the replay of what is `transient`; resolves with the run's id. */
export async function planned(): Promise<string> {
  const plan = await makePlan(ports, flow, {
    action: 'replay',
    by: 'bench',
    filter: { classes: ['transient'] },
    options: { ramp: false },
  });
  await startRun(ports, flow, plan.id, { by: 'bench', reason: 'measuring' });
  return plan.id;
}

/** @throws when not exactly so many were moved */
export async function replay(id: string, expected: number): Promise<void> {
  const deadlineAtMs = Date.now() + 600_000;
  const { run } = await executeRun(ports, flow, id, { worker: 'bench', deadlineAtMs });
  if (run.state !== 'done' || run.counters.moved !== expected) {
    throw new Error(`moved ${run.counters.moved} of ${expected}, ${run.state}: ${run.why}`);
  }
}
