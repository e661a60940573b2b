import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Flow } from '../../../functions/policy/types.ts';
import { decide, type Readings } from '../../../functions/replay/automatic.ts';
import { executeRun } from '../../../functions/replay/execute.ts';
import { read, unreadable } from '../../../functions/replay/guards.ts';
import { createOutcomeRecorder } from '../../../functions/replay/outcome-recorder.ts';
import { makePlan } from '../../../functions/replay/plan.ts';
import { startRun } from '../../../functions/replay/start.ts';
import { LEASE_MS, type Lease } from '../../../functions/replay/store/lease.ts';
import type { ReplayStore } from '../../../functions/replay/store/replay-store.ts';
import { type TickOptions, type TickPorts, tick } from '../../../functions/replay/tick.ts';
import { NO_COUNTERS } from '../../../functions/replay/types.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { parkedCopy, ReplayWorld, replayFlow } from '../../helpers/replay-world.ts';
import { aPlan, selectionOf } from './plans.ts';

const quiet: Readings = {
  switchState: read('on'),
  parkedDepth: read(10),
  workDepth: read(0),
  alarms: read([{ name: 'payment', state: 'OK' }]),
  budgetUsed: read(0),
};

describe('whether the schedule opens parking', () => {
  const { replay: settings } = replayFlow('orders');
  const input = {
    settings,
    readings: quiet,
    alarmNames: ['payment'],
    observe: false,
    availableMs: 600_000,
  };
  const withReadings = (readings: Partial<Readings>) =>
    decide({ ...input, readings: { ...quiet, ...readings } });

  it('yes, for a batch, when the world is healthy', () => {
    expect(decide(input)).toEqual({ kind: 'look', limit: 100, limitedBy: 'batch' });
  });

  it('no, when the flow names no class', () => {
    expect(decide({ ...input, settings: { ...settings, automatic: [] } }).kind).toBe('idle');
  });

  it('no, when the last probe point says that nothing is parked', () => {
    expect(withReadings({ parkedDepth: read(0) }).kind).toBe('idle');
  });

  it('yes, when nobody knows how much is parked: the scan will tell', () => {
    expect(withReadings({ parkedDepth: unreadable('no data') }).kind).toBe('look');
  });

  it.each<[string, Partial<Readings>]>([
    ['kill-switch', { switchState: read('off') }],
    ['kill-switch', { switchState: read('manual') }],
    ['kill-switch', { switchState: unreadable('AccessDenied') }],
    ['alarms', { alarms: read([{ name: 'payment', state: 'ALARM' }]) }],
    ['alarms', { alarms: unreadable('AccessDenied') }],
    ['work-depth', { workDepth: read(1_001) }],
    ['work-depth', { workDepth: unreadable('timeout') }],
    ['hourly-budget', { budgetUsed: read(500) }],
    ['hourly-budget', { budgetUsed: unreadable('timeout') }],
  ])('no, because of %s', (guard, readings) => {
    expect(withReadings(readings)).toMatchObject({ kind: 'skip', refusals: [{ guard }] });
  });

  it('no, with every reason at once', () => {
    const decision = withReadings({ switchState: read('off'), workDepth: read(9_999) });

    expect(decision).toMatchObject({
      refusals: [{ guard: 'kill-switch' }, { guard: 'work-depth' }],
    });
  });

  it.each([
    [450, 600_000, 50, 'hourly-budget'],
    [0, 5_000, 50, 'rate'],
    [0, 600_000, 100, 'batch'],
  ])('%d used and %d ms to go: %d messages, by %s', (used, availableMs, limit, limitedBy) => {
    const readings = { ...quiet, budgetUsed: read(used) };

    expect(decide({ ...input, readings, availableMs })).toMatchObject({ limit, limitedBy });
  });

  it('only to observe, by environment or by switch', () => {
    expect(decide({ ...input, observe: true }).kind).toBe('observe');
    expect(withReadings({ switchState: read('observe') }).kind).toBe('observe');
  });
});

describe('a tick of the schedule', () => {
  let tables: ReplayTables;
  let store: ReplayStore;
  let world: ReplayWorld;
  let flow: Flow<never>;
  let metrics: Record<string, unknown>[];
  let readings: Readings;
  let sequence = 0;

  beforeAll(async () => {
    tables = await startReplayTables();
  });
  afterAll(async () => {
    await tables.stop();
  });
  beforeEach(() => {
    store = tables.openStore();
    world = new ReplayWorld();
    flow = replayFlow(`tick-${++sequence}`);
    metrics = [];
    readings = { ...quiet, alarms: read([]) };
  });

  const portsOf = (): TickPorts => ({
    ...world.ports(store),
    readings: async () => readings,
    metric: (line) => metrics.push(JSON.parse(line)),
  });
  const run = (options: Partial<TickOptions> = {}) =>
    tick(portsOf(), flow, {
      worker: 'tick',
      deadlineAtMs: world.nowMs + 600_000,
      observe: false,
      ownAlarms: [],
      ...options,
    });
  const skipped = () =>
    Object.fromEntries(
      metrics.filter((line) => 'guard' in line).map((line) => [line.guard, line.ReplaySkipped]),
    );
  const consumers = (ok: boolean) => {
    const { recordOutcome } = createOutcomeRecorder(store, () => world.nowMs);
    world.onPublish = ({ properties, headers }) =>
      recordOutcome({
        runId: String(headers['x-replay-run']),
        messageId: properties.messageId ?? '',
        ok,
      });
  };

  it('replays what every guard lets through, and leaves the rest with its reason', async () => {
    consumers(true);
    world.parked = [
      parkedCopy(0),
      parkedCopy(1, { 'x-failure-class': 'invalid' }),
      parkedCopy(2, { 'x-replay-count': 3 }),
      parkedCopy(3, { 'x-failure-last-at': '2026-06-01T11:59:00.000Z' }),
      parkedCopy(4, { 'x-failure-last-at': '2026-05-01T00:00:00.000Z' }),
      parkedCopy(5),
    ];

    const end = await run();

    expect(end).toMatchObject({
      kind: 'ran',
      end: { run: { state: 'done', counters: { moved: 2 } } },
    });
    expect(world.work.map(({ properties }) => properties.messageId)).toEqual(['m-0', 'm-5']);
    expect(skipped()).toEqual({ class: 1, 'lifetime-cap': 1, 'min-age': 1, 'max-age': 1 });
    expect(metrics).toContainEqual(expect.objectContaining({ Replayed: 2, ReplayRegressions: 0 }));
    expect(metrics).toContainEqual(
      expect.objectContaining({ ReplayTicks: 1, ReplaySwitchedOff: 0 }),
    );
    const kinds = (await store.audit.query(flow.name)).map(({ event }) => event.kind);
    expect(kinds.toReversed()).toEqual(['skipped', 'started', 'moved', 'moved', 'ended']);
  });

  it('asks stillWanted and the idempotency records of those that are left', async () => {
    consumers(true);
    flow = {
      ...flow,
      replay: { ...flow.replay, stillWanted: ({ messageId }) => messageId !== 'm-1' },
    };
    world.workState = ({ properties }) => ({
      kind: 'read',
      value:
        properties.messageId === 'm-2'
          ? 'in-progress'
          : properties.messageId === 'm-3'
            ? 'completed'
            : 'none',
    });
    world.parked = [0, 1, 2, 3].map((n) => parkedCopy(n));

    const end = await run();

    expect(end).toMatchObject({ end: { run: { counters: { moved: 1, duplicates: 1 } } } });
    expect(skipped()).toEqual({ 'still-wanted': 1, 'in-progress': 1 });
    expect(world.parked.map(({ properties }) => properties.messageId)).toEqual(['m-1', 'm-2']);
  });

  it('a stillWanted that throws wants nothing', async () => {
    flow = {
      ...flow,
      replay: { ...flow.replay, stillWanted: () => Promise.reject(new Error('shop is down')) },
    };
    world.parked = [parkedCopy(0)];

    expect(await run()).toEqual({ kind: 'skipped', selected: 0 });
    expect(skipped()).toEqual({ 'still-wanted': 1 });
  });

  it('does not open parking while a guard of the flow does not hold', async () => {
    world.parked = [parkedCopy(0)];
    readings = { ...readings, switchState: read('off') };

    expect(await run()).toEqual({ kind: 'skipped', selected: 0 });

    expect(world.deliveries).toBe(0);
    expect(skipped()).toEqual({ 'kill-switch': 1 });
    expect(metrics).toContainEqual(expect.objectContaining({ ReplaySwitchedOff: 1 }));
    const [line] = await store.audit.query(flow.name);
    expect(line?.event).toMatchObject({
      kind: 'skipped',
      detail: 'kill-switch: replay is switched off',
    });
  });

  it('observing records what it would have done and moves nothing', async () => {
    world.parked = [0, 1, 2].map((n) => parkedCopy(n));

    expect(await run({ observe: true })).toEqual({ kind: 'observed', selected: 3 });

    expect(world.publishes).toBe(0);
    expect(metrics).toContainEqual(expect.objectContaining({ ReplayWouldMove: 3 }));
    expect((await store.audit.query(flow.name))[0]?.event).toMatchObject({
      kind: 'observed',
      selected: 3,
    });
    expect(await store.leases.active(flow.name)).toBeUndefined();
  });

  it('takes no more than the hourly budget, over several ticks', async () => {
    consumers(true);
    flow = replayFlow(`tick-${++sequence}`, { hourlyBudget: 5, batch: 3 });
    world.parked = Array.from({ length: 20 }, (_, n) => parkedCopy(n));
    const budget = async () => read(await store.budget.used(flow.name, world.nowMs));

    for (let n = 0; n < 4; n++) {
      readings = { ...readings, budgetUsed: await budget() };
      await run();
    }

    expect(world.work).toHaveLength(5);
    expect(skipped()).toMatchObject({ 'hourly-budget': 1 });
  });

  it('after a regression lets the signature rest', async () => {
    consumers(false);
    world.parked = Array.from({ length: 5 }, (_, n) => parkedCopy(n));

    const first = await run();
    expect(first).toMatchObject({ end: { run: { state: 'halted', counters: { moved: 1 } } } });
    expect(metrics).toContainEqual(
      expect.objectContaining({ ReplayRegressions: 1, ReplayLeftovers: 4 }),
    );

    metrics = [];
    expect(await run()).toEqual({ kind: 'skipped', selected: 0 });
    expect(skipped()).toEqual({ 'signature-backoff': 4 });
    expect(world.work).toHaveLength(1);
  });

  it('never replays a message more often than its lifetime cap, whatever happens to it', async () => {
    flow = replayFlow(`tick-${++sequence}`, { lifetimeCap: 2, hourlyBudget: 1_000 });
    let copies = 0;
    // Every copy ends well for the run and is parked again all the same, by another failure.
    const { recordOutcome } = createOutcomeRecorder(store, () => world.nowMs);
    world.onPublish = async ({ properties, headers }) => {
      const id = properties.messageId ?? '';
      await recordOutcome({ runId: String(headers['x-replay-run']), messageId: id, ok: true });
      const count = (headers['x-replay-count'] as { value: number }).value;
      world.parked.push(
        parkedCopy(Number(id.slice(2)), {
          'x-layover-publish': `again-${copies++}`,
          'x-replay-count': count,
          'x-failure-last-at': new Date(world.nowMs).toISOString(),
        }),
      );
    };
    world.parked = [0, 1, 2].map((n) => parkedCopy(n));

    for (let n = 0; n < 6; n++) {
      await run();
      world.nowMs += 3_600_000;
    }

    expect(world.work).toHaveLength(6);
    expect(world.parked).toHaveLength(3);
    expect(skipped()).toMatchObject({ 'lifetime-cap': 3 });
  });

  it('goes on with a run that is under way, a person’s as well', async () => {
    world.parked = [parkedCopy(0, { 'x-failure-class': 'invalid' })];
    const ports = world.ports(store);
    const order = { by: 'ada', reason: 'fixed' };
    const options = { ramp: false };
    const plan = await makePlan(ports, flow, { action: 'replay', by: 'ada', filter: {}, options });
    await startRun(ports, flow, plan.id, order);

    const end = await run();

    expect(end).toMatchObject({ kind: 'ran', end: { run: { id: plan.id, state: 'done', order } } });
    expect(world.work).toHaveLength(1);
  });

  it('leaves a run alone that another worker is at', async () => {
    world.parked = [parkedCopy(0)];
    const plan = { id: `p-${flow.name}` };
    await store.plans.save(aPlan({ id: plan.id, flow: flow.name }), selectionOf(2));
    await store.runs.start(plan.id, { by: 'ada', reason: 'x' }, aPlan().createdAt.getTime());
    await store.leases.take(flow.name, plan.id, 'another', world.nowMs);

    expect(await run()).toMatchObject({ kind: 'busy' });
    expect(world.deliveries).toBe(0);
  });

  it('frees a flow whose run was ended by a worker that died just then, and counts it no second time', async () => {
    world.parked = [parkedCopy(0), parkedCopy(1)];
    const ports = world.ports(store);
    const order = { by: 'ada', reason: 'fixed' };
    const options = { ramp: false };
    const plan = await makePlan(ports, flow, { action: 'replay', by: 'ada', filter: {}, options });
    await startRun(ports, flow, plan.id, order);
    await executeRun(ports, flow, plan.id, {
      worker: 'w',
      deadlineAtMs: world.nowMs + 600_000,
    });
    // As it is when the booking could not be given back any more.
    await store.leases.book(flow.name, plan.id, 'ada', world.nowMs);
    world.parked = [parkedCopy(5)];

    const freed = await run();
    const next = await run();

    expect(freed).toMatchObject({ kind: 'ran', end: { run: { id: plan.id, state: 'done' } } });
    expect(metrics.filter((line) => 'Replayed' in line)).toHaveLength(1);
    expect(next).toMatchObject({ kind: 'ran', end: { run: { order: { by: 'schedule' } } } });
    expect(world.parked).toEqual([]);
  });

  it('lets a run go on with the worker that has taken it over', async () => {
    world.parked = [parkedCopy(0), parkedCopy(1)];
    const ports = world.ports(store);
    const order = { by: 'ada', reason: 'fixed' };
    const options = { ramp: false };
    const plan = await makePlan(ports, flow, { action: 'replay', by: 'ada', filter: {}, options });
    await startRun(ports, flow, plan.id, order);
    const lateFor = async (): Promise<Lease> => {
      world.nowMs += LEASE_MS + 1;
      const lease = await store.leases.take(flow.name, plan.id, 'another', world.nowMs);
      await store.runs.report(lease, { counters: NO_COUNTERS, leftovers: {} });
      return lease;
    };
    let adopted: Lease | undefined;
    const slow: TickPorts = {
      ...portsOf(),
      openParking: async (queue, deadlineAtMs) => {
        // This worker was asleep for more than its lease.
        adopted ??= await lateFor();
        return ports.openParking(queue, deadlineAtMs);
      },
    };

    const end = await tick(slow, flow, {
      worker: 'tick',
      deadlineAtMs: world.nowMs + 600_000,
      observe: false,
      ownAlarms: [],
    });

    expect(end).toMatchObject({ kind: 'busy' });
    expect(await store.runs.get(plan.id)).toMatchObject({ state: 'running' });
    const standing = { counters: NO_COUNTERS, leftovers: {} };
    expect(adopted && (await store.runs.report(adopted, standing))).toEqual({
      cancelledBy: undefined,
    });
  });
});

describe('the recorder of outcomes', () => {
  it('lets a signature rest when a message fails again after its run has ended', async () => {
    const tables = await startReplayTables();
    const store = tables.openStore();
    const flow = replayFlow('late');
    const world = new ReplayWorld();
    world.parked = [parkedCopy(0)];
    const ports = world.ports(store);
    const plan = await makePlan(ports, flow, {
      action: 'replay',
      by: 'ada',
      filter: {},
      options: { ramp: false },
    });
    await startRun(ports, flow, plan.id, { by: 'ada', reason: 'x' });
    const { recordOutcome } = createOutcomeRecorder(store, () => world.nowMs);
    await executeRun(ports, flow, plan.id, { worker: 'w', deadlineAtMs: world.nowMs + 60_000 });

    for (let n = 0; n < 3; n++)
      await recordOutcome({ runId: plan.id, messageId: 'm-0', ok: false });

    const relapses = await store.relapses.load(flow.name);
    expect(relapses.get('sig-network')).toMatchObject({ failures: 1 });
    await recordOutcome({ runId: 'nobody knows', messageId: 'm-0', ok: false });
    expect([...(await store.relapses.load(flow.name)).keys()]).toEqual(['sig-network']);
    await tables.stop();
  });
});
