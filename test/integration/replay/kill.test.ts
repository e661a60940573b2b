import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executeRun } from '../../../functions/replay/execute.ts';
import { makePlan } from '../../../functions/replay/plan.ts';
import { startRun } from '../../../functions/replay/start.ts';
import { LEASE_MS } from '../../../functions/replay/store/lease.ts';
import { brokerUrl } from '../../helpers/broker.ts';
import { type ReplayBroker, replayBroker } from '../../helpers/replay-broker.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { until } from '../../helpers/until.ts';

const ORDER = { by: 'arn:aws:iam::1:user/ada', reason: 'payment is back' };
const MESSAGES = 12;
const WORKER = fileURLToPath(new URL('../../helpers/replay-worker.ts', import.meta.url));
let tables: ReplayTables;

beforeAll(async () => {
  tables = await startReplayTables();
});
afterAll(async () => {
  await tables.stop();
});

/** Resolves with the signal that ended the worker, null when it came to its own end. */
async function work(broker: ReplayBroker, plan: string, steps: number): Promise<string | null> {
  const child = spawn(process.execPath, [WORKER], {
    env: {
      ...process.env,
      ...tables.env,
      AMQP_URL: brokerUrl(),
      FLOW: broker.flow.name,
      QUEUE: broker.flow.queue,
      PLAN: plan,
      STEPS: `${steps}`,
      TABLE: tables.replayTableName,
      AUDIT: tables.auditTableName,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return signal;
}

/** Takes each copy once, tells its outcome, keeps count. */
async function consume({ scratch, flow }: ReplayBroker): Promise<Map<string, number>> {
  const store = tables.openStore();
  const seen = new Map<string, number>();
  const channel = await scratch.sideChannel();
  await channel.consume(flow.queue, (delivery) => {
    if (delivery === null) return;
    const messageId = String(delivery.properties.messageId);
    const runId = String(delivery.properties.headers?.['x-replay-run']);
    seen.set(messageId, (seen.get(messageId) ?? 0) + 1);
    void store.outcomes
      .record({ runId, messageId, ok: true }, Date.now())
      .then(() => channel.ack(delivery));
  });
  return seen;
}

describe('a worker killed with kill -9', () => {
  // The last one is longer than any run: its worker ends by itself, which shows that all were reached.
  it.each([2, 6, 10, 14, 18, 22, 27, 33, 40, 46, 52, 58, 64, 1_000])(
    'at step %d loses nothing, and the next one ends the run',
    async (steps) => {
      const broker = await replayBroker();
      const { scratch, flow, parked } = broker;
      await broker.park(0, MESSAGES);
      const planner = broker.ports(tables.openStore());
      const request = {
        action: 'replay',
        by: ORDER.by,
        filter: {},
        options: { ramp: false },
      } as const;
      const plan = await makePlan(planner, flow, request);
      await startRun(planner, flow, plan.id, ORDER);
      const seen = await consume(broker);

      const signal = await work(broker, plan.id, steps);
      // The lease of the dead runs out; its lock went with its connection.
      const now = () => Date.now() + LEASE_MS + 1;
      const adopter = broker.ports(tables.openStore(), { now });
      await until('the dead worker’s messages to be ready', async () => {
        const reader = await adopter
          .openParking(flow.queue, Date.now() + 10_000)
          .catch(() => undefined);
        await reader?.close();
        return reader;
      });
      const { run } = await executeRun(adopter, flow, plan.id, {
        worker: 'adopter',
        deadlineAtMs: now() + 60_000,
      });

      expect(signal).toBe(steps === 1_000 ? null : 'SIGKILL');
      expect(run.state).toBe('done');
      const doubts = await tables.openStore().doubts.load(flow.name);
      const doubted = new Set([...doubts.values()].map(({ messageId }) => messageId));
      const restingCount = () => scratch.ready(parked);
      await until(
        'the books to balance',
        async () => seen.size + (await restingCount()) >= MESSAGES,
      );
      const resting = (await scratch.drain(parked, await restingCount())).map(
        (body) => `m-${JSON.parse(body).n}`,
      );
      for (let n = 0; n < MESSAGES; n++) {
        const id = `m-${n}`;
        const copies = seen.get(id) ?? 0;
        const rests = resting.filter((other) => other === id).length;
        expect(copies, `${id} copied`).toBeLessThanOrEqual(1);
        expect(rests, `${id} resting`).toBeLessThanOrEqual(1);
        expect(copies + rests, `${id} somewhere`).toBeGreaterThanOrEqual(1);
        if (copies + rests > 1) expect(doubted, `${id} in doubt`).toContain(id);
      }
    },
  );
});
