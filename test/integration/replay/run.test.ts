import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createBrokerSide } from '../../../functions/replay/broker-side.ts';
import { executeRun } from '../../../functions/replay/execute.ts';
import { makePlan, type PlanRequest } from '../../../functions/replay/plan.ts';
import type { ReplayPorts } from '../../../functions/replay/ports.ts';
import { cancelRun, startRun } from '../../../functions/replay/start.ts';
import type { Run } from '../../../functions/replay/types.ts';
import { brokerUrl } from '../../helpers/broker.ts';
import { type ReplayBroker, replayBroker } from '../../helpers/replay-broker.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { TcpProxy } from '../../helpers/tcp-proxy.ts';
import { until } from '../../helpers/until.ts';

const ORDER = { by: 'arn:aws:iam::1:user/ada', reason: 'payment is back' };
let tables: ReplayTables;

beforeAll(async () => {
  tables = await startReplayTables();
});
afterAll(async () => {
  await tables.stop();
});

async function start(
  { flow }: ReplayBroker,
  ports: ReplayPorts,
  request: Partial<PlanRequest> = {},
): Promise<string> {
  const plan = await makePlan(ports, flow, {
    action: 'replay',
    by: ORDER.by,
    filter: {},
    options: { ramp: false },
    ...request,
  });
  await startRun(ports, flow, plan.id, ORDER);
  return plan.id;
}

async function work({ flow }: ReplayBroker, ports: ReplayPorts, id: string): Promise<Run> {
  const deadlineAtMs = Date.now() + 120_000;
  return (await executeRun(ports, flow, id, { worker: randomUUID(), deadlineAtMs })).run;
}

async function replay(
  broker: ReplayBroker,
  request: Partial<PlanRequest> = {},
  changes: Partial<ReplayPorts> = {},
): Promise<Run> {
  const ports = broker.ports(tables.openStore(), changes);
  return work(broker, ports, await start(broker, ports, request));
}

const bodies = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => `{"n":${from + n * step}}`);

describe('a replay on a real broker', () => {
  it('moves the chosen in order and gives the others back in order', async () => {
    const broker = await replayBroker();
    await broker.park(0, 300, (n) => ({
      'x-failure-class': n % 3 === 0 ? 'transient' : 'invalid',
    }));

    const run = await replay(broker, { filter: { classes: ['transient'] } });

    expect(run).toMatchObject({
      state: 'done',
      counters: { moved: 100, failed: 0 },
      depthBefore: 300,
    });
    const { scratch, flow, parked } = broker;
    expect(await scratch.drain(flow.queue, 100)).toEqual(bodies(0, 300, 3));
    await until('the rest to be ready', async () => (await scratch.ready(parked)) === 200);
    const rest = bodies(0, 300).filter((_, n) => n % 3 !== 0);
    expect(await scratch.drain(parked, 200)).toEqual(rest);
  });

  it('case 20: a consumer that parks everything again at once gets each message once', async () => {
    const broker = await replayBroker();
    await broker.park(0, 200);
    const { scratch, flow, parked } = broker;
    const consumer = await scratch.sideChannel();
    let consumed = 0;
    await consumer.consume(flow.queue, (delivery) => {
      if (delivery === null) return;
      consumed += 1;
      const { headers } = delivery.properties;
      consumer.sendToQueue(parked, delivery.content, {
        ...delivery.properties,
        headers: {
          ...headers,
          'x-layover-publish': `again-${consumed}`,
          'x-failure-class': 'invalid',
        },
        persistent: true,
      });
      consumer.ack(delivery);
    });

    const run = await replay(broker);

    expect(run).toMatchObject({ state: 'done', counters: { moved: 200 } });
    await until('all to be parked again', async () => (await scratch.ready(parked)) === 200);
    expect(consumed).toBe(200);
  });

  it('case 14: into a full work queue: what is refused remains parked, in order', async () => {
    const broker = await replayBroker();
    const { scratch, parked } = broker;
    const full = await scratch.queue('full', { 'x-max-length': 5, 'x-overflow': 'reject-publish' });
    // A quorum queue notices its limit a little late: fill it well before.
    for (let n = 0; n < 10; n++) await scratch.put(full, 'before').catch(() => undefined);
    await broker.park(0, 15);
    const ports = broker.ports(tables.openStore());
    const into = {
      ...ports,
      publish: (copy: Parameters<ReplayPorts['publish']>[0], by: number) =>
        ports.publish({ ...copy, queue: full }, by),
    };

    const run = await work(broker, into, await start(broker, into));

    expect(run.state).toBe('done');
    expect(run.counters.moved + run.counters.failed).toBe(15);
    expect(run.leftovers['refused-by-queue']).toBeGreaterThan(0);
    const left = run.counters.failed;
    await until('the rest to be ready', async () => (await scratch.ready(parked)) === left);
    const order = (await scratch.drain(parked, left)).map((body) => JSON.parse(body).n);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('to a deleted work queue halts and leaves everything parked', async () => {
    const broker = await replayBroker();
    await broker.park(0, 50);
    await broker.scratch.channel.deleteQueue(broker.flow.queue);

    const run = await replay(broker);

    expect(run).toMatchObject({
      state: 'halted',
      counters: { moved: 0, failed: 50 },
      leftovers: { unroutable: 50 },
    });
    await until('all to be ready', async () => (await broker.scratch.ready(broker.parked)) === 50);
    expect(await broker.scratch.drain(broker.parked, 50)).toEqual(bodies(0, 50));
  });

  it('of two runs at once does one, and tells the other whose it is', async () => {
    const broker = await replayBroker();
    await broker.park(0, 40);
    const ports = broker.ports(tables.openStore());
    const slow = await start(broker, ports, { options: { ramp: false, ratePerSecond: 40 } });
    const other = broker.ports(tables.openStore());
    const running = work(broker, ports, slow);
    await until(
      'the first to hold the queue',
      async () => (await broker.scratch.ready(broker.parked)) === 0,
    );

    await expect(start(broker, other)).rejects.toMatchObject({ code: 'LOCK_HELD' });
    await expect(start(broker, other)).rejects.toThrow(`run ${slow}, started by ${ORDER.by}`);
    await expect(work(broker, other, slow)).rejects.toMatchObject({ code: 'LOCK_HELD' });

    expect(await running).toMatchObject({ state: 'done', counters: { moved: 40 } });
    expect(await broker.scratch.drain(broker.flow.queue, 40)).toEqual(bodies(0, 40));
  });

  it('cancelled in the middle stops between messages and gives the rest back', async () => {
    const broker = await replayBroker();
    await broker.park(0, 200);
    const ports = broker.ports(tables.openStore());
    const id = await start(broker, ports, { options: { ramp: false, ratePerSecond: 50 } });
    const running = work(broker, ports, id);
    const { scratch, flow, parked } = broker;
    await until('some to be moved', async () => (await scratch.ready(flow.queue)) >= 20);

    expect(await cancelRun(broker.ports(tables.openStore()), id, 'bob')).toBe(true);
    const run = await running;

    expect(run).toMatchObject({ state: 'cancelled', cancelledBy: 'bob' });
    const { moved } = run.counters;
    expect(moved).toBeGreaterThanOrEqual(20);
    expect(moved).toBeLessThan(200);
    expect(await scratch.drain(flow.queue, moved)).toEqual(bodies(0, moved));
    await until('the rest to be ready', async () => (await scratch.ready(parked)) === 200 - moved);
    expect(await scratch.drain(parked, 200 - moved)).toEqual(bodies(moved, 200));
  });

  it('halts the ramp when the work queue fails again', async () => {
    const broker = await replayBroker();
    await broker.park(0, 500);
    const { scratch, flow, parked } = broker;
    const store = tables.openStore();
    const consumer = await scratch.sideChannel();
    let seen = 0;
    await consumer.consume(flow.queue, (delivery) => {
      if (delivery === null) return;
      seen += 1;
      const runId = String(delivery.properties.headers?.['x-replay-run']);
      const report = { runId, messageId: String(delivery.properties.messageId), ok: seen < 8 };
      void store.outcomes.record(report, Date.now()).then(() => consumer.ack(delivery));
    });

    const run = await replay(broker, { options: { ramp: true } });

    expect(run).toMatchObject({ state: 'halted', leftovers: { 'not-reached': 489 } });
    expect(run.why).toContain('failed again after the replay: m-');
    expect(run.counters.moved).toBe(11);
    await until('the rest to be ready', async () => (await scratch.ready(parked)) === 489);
  });

  it('whose connection is cut in the middle sends nothing twice and loses nothing', async () => {
    const broker = await replayBroker();
    await broker.park(0, 400);
    const { scratch, flow, parked } = broker;
    const { hostname, port } = new URL(brokerUrl());
    const proxy = await TcpProxy.start({ host: hostname, port: Number(port) });
    onTestFinished(() => proxy.close());
    const url = proxy.through(brokerUrl());
    const side = createBrokerSide({ kind: 'url', url }, Date.now);
    onTestFinished(() => side.close());
    const ports = broker.ports(tables.openStore(), side);
    const id = await start(broker, ports, { options: { ramp: false, ratePerSecond: 400 } });
    const running = work(broker, ports, id);
    await until('some to be moved', async () => (await scratch.ready(flow.queue)) >= 50);

    proxy.cut();
    const run = await running;

    expect(run.state).toBe('done');
    const uncertain = run.leftovers.uncertain ?? 0;
    const moved = await scratch.ready(flow.queue);
    const left = await scratch.ready(parked);
    expect(moved + left).toBeGreaterThanOrEqual(400);
    expect(moved + left).toBeLessThanOrEqual(400 + uncertain);
    const copies = await scratch.drain(flow.queue, moved);
    expect(new Set(copies).size).toBe(copies.length);
    const rest = await scratch.drain(parked, left);
    expect(new Set([...copies, ...rest])).toEqual(new Set(bodies(0, 400)));
  });
});

describe('a parking queue of 50,000 mixed messages', () => {
  it('gives 100 chosen ones, in order, and keeps the others', { timeout: 120_000 }, async () => {
    const broker = await replayBroker();
    const { scratch, flow, parked } = broker;
    await broker.park(0, 50_000, (n) => ({
      'x-failure-class': n % 500 === 7 ? 'transient' : ['invalid', 'bug', 'unknown'][n % 3],
    }));
    const ports = broker.ports(tables.openStore());
    const plan = await makePlan(ports, flow, {
      action: 'replay',
      by: ORDER.by,
      filter: { classes: ['transient'] },
      options: { ramp: false },
    });
    expect(plan).toMatchObject({
      selected: 100,
      window: { depth: 50_000, scanned: 50_000, complete: true },
    });
    await startRun(ports, flow, plan.id, ORDER);

    const run = await work(broker, ports, plan.id);

    expect(run).toMatchObject({ state: 'done', counters: { moved: 100, failed: 0, slices: 1 } });
    expect(await scratch.drain(flow.queue, 100)).toEqual(bodies(7, 50_000, 500));
    await until('the rest to be ready', async () => (await scratch.ready(parked)) === 49_900, {
      timeoutMs: 20_000,
    });
    expect(await scratch.drain(parked, 5)).toEqual(bodies(0, 5));
  });
});
