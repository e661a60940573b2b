import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { consumer } from '../../../functions/consumer/consumer.ts';
import type { Handle } from '../../../functions/consumer/handler-types.ts';
import type { Sandbox } from '../../../functions/consumer/invocation.ts';
import { openSandbox } from '../../../functions/consumer/sandbox.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { executeRun } from '../../../functions/replay/execute.ts';
import { planAutomatic } from '../../../functions/replay/plan-automatic.ts';
import { startRun } from '../../../functions/replay/start.ts';
import type { ReplayStore } from '../../../functions/replay/store/replay-store.ts';
import { Poller } from '../../../infra/local/poller.ts';
import { brokerUrl } from '../../helpers/broker.ts';
import { type ReplayBroker, replayBroker } from '../../helpers/replay-broker.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { until } from '../../helpers/until.ts';

let tables: ReplayTables;

beforeAll(async () => {
  tables = await startReplayTables();
  for (const [name, value] of Object.entries(tables.env)) vi.stubEnv(name, value);
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'SILENT');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await tables.stop();
});

const hourAgo = () => ({ 'x-failure-last-at': new Date(Date.now() - 3_600_000).toISOString() });

/** The consumer's function behind a poller, on the tables replay uses. */
async function consume(broker: ReplayBroker, handle: Handle<unknown>): Promise<void> {
  // Short, so that a batch of many has time for each.
  const flow: Flow = { ...(broker.flow as unknown as Flow), handlerTimeoutMs: 5_000 };
  const env = {
    ...tables.env,
    AMQP_URL: brokerUrl(),
    LAYOVER_REPLAY_TABLE: tables.replayTableName,
  };
  let sandbox: Sandbox<unknown> | undefined;
  const lambda = consumer(flow, handle, (...parts) => {
    sandbox = openSandbox(...parts, env);
    return sandbox;
  });
  const poller = new Poller({
    url: brokerUrl(),
    vhost: '/',
    queue: flow.queue,
    batch: { size: 5, windowMs: 50 },
    handBack: 'nack',
    invoke: (event) => {
      const endsAtMs = Date.now() + 30_000;
      const context = {
        awsRequestId: randomUUID(),
        functionVersion: '1',
        getRemainingTimeInMillis: () => endsAtMs - Date.now(),
      };
      return lambda(JSON.parse(event), context as Context);
    },
  });
  await poller.start();
  onTestFinished(async () => {
    await poller.stop();
    await sandbox?.session.close();
  });
}

/** Plans what is parked as the schedule does, and works the run to its end. */
async function replay(broker: ReplayBroker, store: ReplayStore) {
  const ports = broker.ports(store);
  const limit = { limit: 100, limitedBy: 'batch', save: true } as const;
  const { plan } = await planAutomatic(ports, broker.flow, limit);
  if (plan === undefined) throw new Error('nothing passed the guards');
  await startRun(ports, broker.flow, plan.id, { by: 'schedule', reason: 'test' });
  const options = { worker: 'test', deadlineAtMs: Date.now() + 60_000 };
  return executeRun(ports, broker.flow, plan.id, options);
}

describe('a ramp beside a real consumer', () => {
  it('takes its next step when the consumer has said how the last one ended', async () => {
    const broker = await replayBroker();
    await broker.park(0, 12, hourAgo);
    const seen: string[] = [];
    const gate = Promise.withResolvers<void>();
    await consume(broker, async ({ messageId }) => {
      seen.push(String(messageId));
      await gate.promise;
    });
    const store = tables.openStore();
    const asked = vi.spyOn(store.outcomes, 'of');

    const running = replay(broker, store);
    await until('the first is handled', () => seen.length > 0, { timeoutMs: 20_000 });
    const before = asked.mock.calls.length;
    await until('its outcome was asked for again', () => asked.mock.calls.length > before + 3);
    const soFar = [...seen];
    gate.resolve();
    const { run } = await running;

    expect(soFar).toEqual(['m-0']);
    expect(run).toMatchObject({ state: 'done', counters: { moved: 12 } });
    expect(seen).toHaveLength(12);
    await expect(store.outcomes.of(run.id)).resolves.toEqual({ well: 12, failed: [] });
  }, 60_000);

  it('halts when a message fails again, and the signature rests', async () => {
    const broker = await replayBroker();
    await broker.park(0, 6, hourAgo);
    const seen: string[] = [];
    await consume(broker, ({ messageId }) => {
      seen.push(String(messageId));
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    });
    const store = tables.openStore();

    const { run } = await replay(broker, store);

    expect(run).toMatchObject({ state: 'halted', counters: { moved: 1 } });
    expect(run.why).toContain('m-0');
    expect(seen).toEqual(['m-0']);
    await until('the rest is ready', async () => (await broker.scratch.ready(broker.parked)) === 5);
    expect([...(await store.relapses.load(broker.flow.name)).keys()]).toEqual(['sig-network']);
  }, 60_000);

  it('goes on past a message that the consumer knows was done', async () => {
    const broker = await replayBroker();
    const seen: string[] = [];
    await consume(broker, ({ messageId }) => {
      seen.push(String(messageId));
    });
    await broker.scratch.put(broker.flow.queue, '{}', { messageId: 'm-0' });
    await until('it was done', () => seen.length === 1);
    await broker.park(0, 2, hourAgo);
    const store = tables.openStore();

    const { run } = await replay(broker, store);

    expect(run).toMatchObject({ state: 'done', counters: { moved: 2 } });
    expect(seen).toEqual(['m-0', 'm-1']);
    await expect(store.outcomes.of(run.id)).resolves.toEqual({ well: 2, failed: [] });
  }, 60_000);
});
