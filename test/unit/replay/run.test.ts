import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionError } from '../../../functions/broker/errors.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { executeRun, type RunEnd } from '../../../functions/replay/execute.ts';
import { unreadable } from '../../../functions/replay/guards.ts';
import { watch } from '../../../functions/replay/operations/watch.ts';
import { makePlan, type PlanRequest } from '../../../functions/replay/plan.ts';
import type { ReplayPorts } from '../../../functions/replay/ports.ts';
import { RequestReader } from '../../../functions/replay/requests.ts';
import { cancelRun, startRun } from '../../../functions/replay/start.ts';
import type { ReplayStore } from '../../../functions/replay/store/replay-store.ts';
import type { Run } from '../../../functions/replay/types.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import {
  nacked,
  parkedCopy,
  ReplayWorld,
  replayFlow,
  returned,
} from '../../helpers/replay-world.ts';
import { ORDER } from './plans.ts';

let tables: ReplayTables;
let store: ReplayStore;
let world: ReplayWorld;
let ports: ReplayPorts;
let flow: Flow<never>;
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
  ports = world.ports(store);
  flow = replayFlow(`run-${++sequence}`);
});

function park(count: number): void {
  world.parked = Array.from({ length: count }, (_, n) => parkedCopy(n));
}

async function planOf(request: Partial<PlanRequest> = {}) {
  return makePlan(ports, flow, {
    action: 'replay',
    by: ORDER.by,
    filter: {},
    options: { ramp: false },
    ...request,
  });
}

const execute = (id: string): Promise<RunEnd> =>
  executeRun(ports, flow, id, { worker: 'w', deadlineAtMs: world.nowMs + 800_000 });

async function replay(request: Partial<PlanRequest> = {}): Promise<Run> {
  const plan = await planOf(request);
  await startRun(ports, flow, plan.id, ORDER);
  return (await execute(plan.id)).run;
}

const parkedIds = () => world.parked.map(({ properties }) => properties.messageId);
const workIds = () => world.work.map(({ properties }) => properties.messageId);
const ids = (...numbers: number[]) => numbers.map((n) => `m-${n}`);

describe('a plan', () => {
  it('counts what it saw and moves nothing', async () => {
    park(3);
    world.parked.push(
      parkedCopy(3, { 'x-failure-class': 'invalid', 'x-failure-signature': 'bad' }),
    );

    const plan = await planOf({ filter: { classes: ['transient'] } });

    expect(plan).toMatchObject({
      selected: 3,
      window: { depth: 4, scanned: 4, complete: true },
      summary: { byClass: { transient: 3, invalid: 1 }, byAge: { '<6h': 4 } },
    });
    expect(plan.sample.map(({ messageId }) => messageId)).toEqual(ids(0, 1, 2));
    expect(world.publishes).toBe(0);
    expect(parkedIds()).toEqual(ids(0, 1, 2, 3));
    expect(world.locked).toBe(false);
  });

  it('says which guard would keep automatic replay from each group', async () => {
    park(2);
    world.parked.push(
      parkedCopy(2, { 'x-failure-class': 'invalid', 'x-failure-signature': 'bad' }),
    );
    world.parked.push(parkedCopy(3, { 'x-replay-count': 3 }));

    const { groups } = (await planOf()).summary;

    expect(groups).toMatchObject([
      {
        class: 'transient',
        count: 3,
        automatic: 2,
        skipped: { 'lifetime-cap': 1 },
        failedAgain: 1,
      },
      { class: 'invalid', count: 1, automatic: 0, skipped: { class: 1 } },
    ]);
  });

  it('takes as many as its limit, oldest in the queue first', async () => {
    park(5);

    expect(await planOf({ filter: { limit: 2 } })).toMatchObject({ selected: 2 });
  });

  it('warns of what a person should think about', async () => {
    park(1);
    world.parked.push(parkedCopy(1, { 'x-failure-last-at': '2026-05-01T00:00:00.000Z' }));
    world.parked.push(parkedCopy(2, { 'x-replay-count': 7 }));

    const { warnings } = await planOf();

    expect(warnings.map(({ count }) => count)).toEqual([1, 1]);
    expect(warnings[0]?.what).toContain('idempotency records');
  });

  it('leaves out strangers unless told otherwise', async () => {
    world.parked = [{ content: Buffer.from('?'), properties: { headers: {} } }];

    expect(await planOf()).toMatchObject({ selected: 0, refused: { origin: 1 } });
    expect(await planOf({ options: { ramp: false, acceptUnknown: true } })).toMatchObject({
      selected: 1,
    });
  });

  it('can not be made while a run holds the queue, and says whose', async () => {
    park(1);
    const plan = await planOf();
    await startRun(ports, flow, plan.id, ORDER);
    const held = await ports.openParking('orders', 0);

    await expect(planOf()).rejects.toMatchObject({ code: 'LOCK_HELD' });
    await expect(planOf()).rejects.toThrow(`run ${plan.id}, started by ${ORDER.by}`);
    await held.close();
  });

  it('waits for the end of another look, which takes seconds', async () => {
    park(1);
    const look = await ports.openParking('orders', 0);
    let waits = 0;
    const patient: ReplayPorts = {
      ...ports,
      wait: async () => {
        if (++waits === 3) await look.close();
      },
    };

    const plan = await makePlan(patient, flow, {
      action: 'replay',
      by: ORDER.by,
      filter: {},
      options: { ramp: false },
    });

    expect(plan.selected).toBe(1);
    expect(waits).toBe(3);
  });

  it('is given up when another look never ends', async () => {
    const look = await ports.openParking('orders', 0);

    await expect(planOf()).rejects.toThrow('held by another look at it');
    await look.close();
  });
});

describe('a run', () => {
  it('moves what was planned in order and leaves the rest in order', async () => {
    park(10);
    world.parked = world.parked.map((message, n) =>
      n % 2 === 0 ? message : parkedCopy(n, { 'x-failure-class': 'invalid' }),
    );

    const run = await replay({ filter: { classes: ['transient'] } });

    expect(run).toMatchObject({
      state: 'done',
      counters: { moved: 5, failed: 0, slices: 1 },
      leftovers: {},
      depthBefore: 10,
      depthAfter: 5,
    });
    expect(workIds()).toEqual(ids(0, 2, 4, 6, 8));
    expect(parkedIds()).toEqual(ids(1, 3, 5, 7, 9));
    expect(world.locked).toBe(false);
  });

  it('stamps who, why and the run on each copy', async () => {
    park(1);
    const plan = await planOf();
    await startRun(ports, flow, plan.id, { ...ORDER, ticket: 'INC-7' });
    await execute(plan.id);

    expect(world.work[0]).toMatchObject({
      queue: 'orders',
      headers: {
        'x-replay-run': plan.id,
        'x-replay-by': ORDER.by,
        'x-replay-reason': ORDER.reason,
        'x-replay-ticket': 'INC-7',
        'x-replay-count': { '!': 'int', value: 1 },
        'x-origin-queue': 'orders',
      },
    });
    expect(
      Object.keys(world.work[0]?.headers ?? {}).filter((name) => name.startsWith('x-failure')),
    ).toEqual([]);
  });

  it('case 34: reply and identity properties are the sender’s', async () => {
    const properties = {
      messageId: 'm1',
      replyTo: 'client.7',
      correlationId: 'c1',
      type: 'OrderPlaced',
      appId: 'shop',
      priority: 4,
    };
    const copy = parkedCopy(1);
    world.parked = [{ ...copy, properties: { ...copy.properties, ...properties } }];

    await replay();

    expect(world.work[0]?.properties).toMatchObject(properties);
    expect(world.work[0]?.body).toEqual(copy.content);
  });

  it('case 56: bookkeeping of ours, the broker’s and Spring’s is gone, the sender’s stays', async () => {
    world.parked = [
      parkedCopy(1, {
        'x-retry-count': 5,
        'x-delivery-count': 21,
        'x-death': [
          { queue: 'orders', reason: 'delivery_limit', count: 1, 'routing-keys': ['orders'] },
        ],
        'x-first-death-queue': 'orders',
        'x-error-message': 'boom',
        'x-exception-stacktrace': 'java.lang.Exception',
        tenant: 'a',
        'x-tenant': 'b',
      }),
    ];

    await replay();

    const names = Object.keys(world.work[0]?.headers ?? {});
    expect(names).toEqual(expect.arrayContaining(['tenant', 'x-tenant']));
    expect(
      names.filter((name) => /^x-(retry|delivery|death|first|failure|error|exception)/.test(name)),
    ).toEqual([]);
  });

  it('case 10: an undeliverable message stays parked unchanged and blocks nobody', async () => {
    park(3);
    const [a] = world.parked;
    world.onPublish = ({ properties }) => {
      if (properties.messageId === 'm-0') throw returned();
    };

    const run = await replay();

    expect(run).toMatchObject({
      state: 'done',
      counters: { moved: 2, failed: 1 },
      leftovers: { unroutable: 1 },
    });
    expect(workIds()).toEqual(ids(1, 2));
    expect(world.parked).toEqual([a]);

    world.onPublish = () => undefined;
    expect(await replay()).toMatchObject({ counters: { moved: 1, failed: 0 } });
    expect(workIds()).toEqual(ids(1, 2, 0));
  });

  it('case 14: a full work queue nacks, and the parked message remains', async () => {
    park(1);
    world.onPublish = () => {
      throw nacked();
    };

    const run = await replay();

    expect(run).toMatchObject({
      counters: { moved: 0, failed: 1 },
      leftovers: { 'refused-by-queue': 1 },
    });
    expect(parkedIds()).toEqual(ids(0));
  });

  it('case 18: an unroutable message is read a bounded number of times', async () => {
    park(3);
    world.onPublish = ({ properties }) => {
      if (properties.messageId === 'm-0') throw returned();
    };
    const plan = await planOf();
    world.deliveries = 0;
    await startRun(ports, flow, plan.id, ORDER);
    await execute(plan.id);

    expect(world.deliveries).toBeLessThanOrEqual(6);
    expect(workIds()).toEqual(ids(1, 2));
    expect(parkedIds()).toEqual(ids(0));
  });

  it('case 20: what is parked again at once is not replayed by the same run', async () => {
    park(5);
    world.onPublish = ({ properties, headers }) => {
      const n = Number(properties.messageId?.slice(2));
      world.parked.push(
        parkedCopy(n, {
          ...headers,
          'x-layover-publish': `again-${n}`,
          'x-failure-class': 'invalid',
        }),
      );
    };

    const run = await replay();

    expect(world.publishes).toBe(5);
    expect(run).toMatchObject({ state: 'done', counters: { moved: 5 } });
    expect(world.parked).toHaveLength(5);
  });

  it('case 20: with a filter for another class nothing is published', async () => {
    world.parked = [parkedCopy(0, { 'x-failure-class': 'invalid' })];

    const run = await replay({ filter: { classes: ['transient'] } });

    expect(run).toMatchObject({ state: 'done', counters: { moved: 0 } });
    expect(world.publishes).toBe(0);
  });

  it('leaves messages alone that came after its plan', async () => {
    park(2);
    const plan = await planOf();
    world.parked.push(parkedCopy(2));
    world.parked.unshift(parkedCopy(9));
    await startRun(ports, flow, plan.id, ORDER);

    const { run } = await execute(plan.id);

    expect(run.counters.moved).toBe(2);
    expect(parkedIds()).toEqual(ids(9, 2));
  });

  it('does not touch a message that changed since its plan, and says so', async () => {
    park(2);
    const plan = await planOf();
    world.parked[1] = parkedCopy(1, { 'x-failure-last-at': '2026-06-01T11:59:00.000Z' });
    await startRun(ports, flow, plan.id, ORDER);

    const { run } = await execute(plan.id);

    expect(run).toMatchObject({ state: 'done', counters: { moved: 1 }, leftovers: { gone: 1 } });
    expect(parkedIds()).toEqual(ids(1));
  });

  it('moves identical messages each once', async () => {
    const twin = { content: Buffer.from('same'), properties: { headers: {} } };
    world.parked = [twin, twin, twin];

    const run = await replay({
      filter: { limit: 2 },
      options: { ramp: false, acceptUnknown: true },
    });

    expect(run.counters.moved).toBe(2);
    expect(world.parked).toHaveLength(1);
  });

  it('removes what was done before as a duplicate, without a copy', async () => {
    park(2);
    world.workState = ({ properties }) => ({
      kind: 'read',
      value: properties.messageId === 'm-0' ? 'completed' : 'none',
    });

    const run = await replay();

    expect(run.counters).toMatchObject({ moved: 1, duplicates: 1 });
    expect(workIds()).toEqual(ids(1));
    expect(parkedIds()).toEqual([]);
  });

  it('leaves what somebody works on, and what nobody can tell', async () => {
    park(3);
    world.workState = ({ properties }) =>
      properties.messageId === 'm-0'
        ? { kind: 'read', value: 'in-progress' }
        : properties.messageId === 'm-1'
          ? unreadable('ThrottlingException')
          : { kind: 'read', value: 'none' };

    const run = await replay();

    expect(run).toMatchObject({ counters: { moved: 1 }, leftovers: { 'in-progress': 2 } });
    expect(parkedIds()).toEqual(ids(0, 1));
  });

  it('leaves a message that can’t be copied', async () => {
    world.parked = [parkedCopy(0, { ['x'.repeat(300)]: 'y' }), parkedCopy(1)];

    const run = await replay();

    expect(run).toMatchObject({ counters: { moved: 1 }, leftovers: { 'cannot-be-copied': 1 } });
    expect(world.parked).toHaveLength(1);
  });

  it('halts when the work queue takes nothing at all', async () => {
    park(2_500);
    world.onPublish = () => {
      throw returned();
    };

    const run = await replay();

    expect(run.state).toBe('halted');
    expect(run.why).toContain('the work queue took none of 1000 messages');
    expect(world.publishes).toBeLessThanOrEqual(2_500);
    expect(world.parked).toHaveLength(2_500);
  });

  it('case 52: a copy whose confirm got lost is uncertain: not given up, not sent again', async () => {
    park(3);
    let lost = false;
    world.onPublish = ({ properties }) => {
      if (properties.messageId !== 'm-1' || lost) return;
      lost = true;
      throw new ConnectionError('CONNECTION_LOST', 'reset', { mayBeWritten: true });
    };

    const run = await replay();

    expect(run).toMatchObject({
      state: 'done',
      counters: { moved: 2 },
      leftovers: { uncertain: 1 },
    });
    expect(workIds()).toEqual(ids(0, 2));
    expect(parkedIds()).toEqual(ids(1));
    expect(await planOf()).toMatchObject({ selected: 0, refused: { uncertain: 1 } });
    expect(await planOf({ options: { ramp: false, includeUncertain: true } })).toMatchObject({
      selected: 1,
    });
  });

  it('case 52: an uncertain copy a consumer has seen was moved: its original is removed', async () => {
    park(2);
    let runId = '';
    world.onPublish = async ({ properties, headers }) => {
      if (properties.messageId !== 'm-1') return;
      runId = String(headers['x-replay-run']);
      await store.outcomes.record({ runId, messageId: 'm-1', ok: true }, world.nowMs);
      throw new ConnectionError('CONNECTION_LOST', 'reset', { mayBeWritten: true });
    };

    const run = await replay();

    expect(run).toMatchObject({
      state: 'done',
      counters: { moved: 1, superseded: 1 },
      leftovers: {},
    });
    expect(parkedIds()).toEqual([]);
  });

  it('goes on after the broker was away, sending nothing twice', async () => {
    park(5);
    let away = 1;
    world.onPublish = ({ properties }) => {
      if (properties.messageId === 'm-2' && away-- > 0) {
        throw new ConnectionError('CONNECT_FAILED', 'refused');
      }
    };

    const run = await replay();

    expect(run).toMatchObject({ state: 'done', counters: { moved: 5, slices: 2 } });
    expect(workIds()?.toSorted()).toEqual(ids(0, 1, 2, 3, 4));
  });

  it('is left to the next worker when the broker stays away', async () => {
    park(2);
    world.onPublish = () => {
      throw new ConnectionError('CONNECT_FAILED', 'refused');
    };
    const plan = await planOf();
    await startRun(ports, flow, plan.id, ORDER);

    const end = await execute(plan.id);

    expect(end).toMatchObject({
      kind: 'to-be-continued',
      why: 'refused',
      run: { state: 'running' },
    });
    world.onPublish = () => undefined;
    world.nowMs += 61_000;
    // Nothing was sent, and the worker before has said so: this one may send.
    const { run } = await execute(plan.id);
    expect(run).toMatchObject({ state: 'done', counters: { moved: 2 }, leftovers: {} });
    expect(workIds()).toEqual(ids(0, 1));
  });

  it('whose acknowledgements got lost is known to have moved: nothing is sent again', async () => {
    park(3);
    world.forgetful = true;
    expect(await replay()).toMatchObject({ state: 'done', counters: { moved: 3 } });
    expect(parkedIds()).toEqual(ids(0, 1, 2));
    world.forgetful = false;
    world.parked.push(parkedCopy(3));

    const plan = await planOf();
    expect(plan).toMatchObject({ selected: 1, leftBehind: 3, refused: { uncertain: 3 } });
    await startRun(ports, flow, plan.id, ORDER);
    const { run } = await execute(plan.id);

    expect(run).toMatchObject({ state: 'done', counters: { moved: 1, superseded: 3 } });
    expect(workIds()).toEqual(ids(0, 1, 2, 3));
    expect(parkedIds()).toEqual([]);
  });

  it('works once, and only by the flow and the environment of its plan', async () => {
    park(1);
    const plan = await planOf();

    await expect(execute(plan.id)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(
      startRun({ ...ports, environment: 'prod' }, flow, plan.id, ORDER),
    ).rejects.toMatchObject({ code: 'WRONG_ENVIRONMENT' });
    await expect(startRun(ports, { name: 'other' }, plan.id, ORDER)).rejects.toMatchObject({
      code: 'WRONG_FLOW',
    });
    await expect(startRun(ports, flow, plan.id, { ...ORDER, reason: ' ' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    await startRun(ports, flow, plan.id, ORDER);
    await execute(plan.id);
    await expect(startRun(ports, flow, plan.id, ORDER)).rejects.toMatchObject({
      code: 'PLAN_USED',
    });
    expect(await execute(plan.id)).toMatchObject({
      kind: 'ended',
      run: { counters: { moved: 1 } },
    });
    expect(world.work).toHaveLength(1);
  });

  it('is audited: who, why, what, how many, depth before and after', async () => {
    park(2);
    const run = await replay();

    const lines = await store.audit.query(flow.name, { run: run.id });

    expect(lines.map(({ event }) => event).toReversed()).toMatchObject([
      { kind: 'started', order: ORDER, selected: 2, digest: run.plan.digest },
      { kind: 'moved', ids: ids(0, 1) },
      {
        kind: 'ended',
        state: 'done',
        order: ORDER,
        counters: { moved: 2 },
        depthBefore: 2,
        depthAfter: 0,
      },
    ]);
    expect(world.logged).toMatchObject([
      { messageId: 'm-0', deed: 'moved', replayRun: run.id, by: ORDER.by },
      { messageId: 'm-1', deed: 'moved' },
    ]);
  });
});

describe('a run longer than its worker', () => {
  it('goes on with the next one, message by message, leaving nothing in doubt', async () => {
    park(30);
    const plan = await planOf({ options: { ramp: false, ratePerSecond: 1 } });
    await startRun(ports, flow, plan.id, ORDER);
    const ends: string[] = [];
    for (let n = 0; n < 10 && ends.at(-1) !== 'ended'; n++) {
      const deadlineAtMs = world.nowMs + 12_000;
      const end = await executeRun(ports, flow, plan.id, { worker: `w${n}`, deadlineAtMs });
      ends.push(end.kind);
    }

    const run = await store.runs.mustGet(plan.id);
    expect(ends.length).toBeGreaterThan(3);
    expect(run).toMatchObject({ state: 'done', counters: { moved: 30 }, leftovers: {} });
    expect(workIds()).toEqual(Array.from({ length: 30 }, (_, n) => `m-${n}`));
  });
});

describe('stopping', () => {
  it('the kill switch keeps a run from starting, and from its next slice', async () => {
    park(2);
    const plan = await planOf();
    world.switchState = 'off';
    await expect(startRun(ports, flow, plan.id, ORDER)).rejects.toMatchObject({
      code: 'SWITCHED_OFF',
    });
    world.switchState = 'on';
    await startRun(ports, flow, plan.id, ORDER);
    world.switchState = 'off';

    const { run } = await execute(plan.id);

    expect(run).toMatchObject({
      state: 'halted',
      why: 'replay is switched off',
      leftovers: { 'not-reached': 2 },
    });
    expect(parkedIds()).toEqual(ids(0, 1));
  });

  it('a cancel stops between messages; what is not sent stays parked', async () => {
    park(50);
    const plan = await planOf({ options: { ramp: false, ratePerSecond: 5 } });
    await startRun(ports, flow, plan.id, ORDER);
    world.onPublish = async ({ properties }) => {
      if (properties.messageId === 'm-9') await cancelRun(ports, plan.id, 'bob');
    };

    const { run } = await execute(plan.id);

    expect(run).toMatchObject({ state: 'cancelled', why: 'cancelled by bob' });
    expect(run.counters.moved).toBeGreaterThanOrEqual(10);
    expect(run.counters.moved).toBeLessThan(30);
    expect(run.counters.moved + (run.leftovers['not-reached'] ?? 0)).toBe(50);
    expect(world.parked).toHaveLength(50 - run.counters.moved);
  });
});

describe('the ramp', () => {
  const consumed = (ok: (id: string) => boolean) => {
    world.onPublish = async ({ properties, headers }) => {
      const messageId = properties.messageId ?? '';
      const runId = String(headers['x-replay-run']);
      await store.outcomes.record({ runId, messageId, ok: ok(messageId) }, world.nowMs);
    };
  };

  it('goes through when every message ends well', async () => {
    park(150);
    consumed(() => true);

    const run = await replay({ options: { ramp: true } });

    expect(run).toMatchObject({ state: 'done', counters: { moved: 150 } });
    expect(workIds()).toEqual(Array.from({ length: 150 }, (_, n) => `m-${n}`));
  });

  it('stops after one message when that one fails again', async () => {
    park(150);
    consumed(() => false);

    const run = await replay({ options: { ramp: true } });

    expect(run).toMatchObject({
      state: 'halted',
      why: 'failed again after the replay: m-0',
      counters: { moved: 1 },
      leftovers: { 'not-reached': 149 },
    });
    expect(world.work).toHaveLength(1);
  });

  it('stops after the step in which one fails again, and its signature rests', async () => {
    park(150);
    consumed((id) => id !== 'm-5');

    const run = await replay({ options: { ramp: true } });

    expect(run).toMatchObject({ state: 'halted', counters: { moved: 11 } });
    expect(world.parked).toHaveLength(139);
    const relapses = await store.relapses.load(flow.name);
    expect(relapses.get('sig-network')).toMatchObject({ failures: 1 });
    const { summary } = await planOf();
    expect(summary.groups[0]?.skipped).toEqual({ 'signature-backoff': 139 });
  });

  it('forgets a signature’s relapses when its messages end well', async () => {
    park(3);
    await store.relapses.add(flow.name, 'sig-network', 0);
    consumed(() => true);

    await replay({ options: { ramp: true } });

    expect(await store.relapses.load(flow.name)).toEqual(new Map());
  });

  it('has one outcome for a message that was parked twice, and does not wait for another', async () => {
    park(2);
    for (const { properties } of world.parked) Object.assign(properties, { messageId: 'm-0' });
    consumed(() => true);
    const beganMs = world.nowMs;

    const run = await replay({ options: { ramp: true } });

    expect(run).toMatchObject({ state: 'done', why: 'all that was planned was tried' });
    expect(run.counters.moved).toBe(2);
    expect(world.nowMs - beganMs).toBeLessThan(60_000);
    const request = new RequestReader({ run: run.id });
    expect(await watch({ store }, request)).toMatchObject({ outcomesUnknown: 0 });
  });

  it('waits a minute for outcomes that do not come, then takes the next step', async () => {
    park(12);
    const beganMs = world.nowMs;

    const run = await replay({ options: { ramp: true } });

    expect(run).toMatchObject({ state: 'done', counters: { moved: 12 } });
    expect(run.why).toContain('how 12 of the moved ended was not known by then');
    // Steps of 1, 10 and 1, each waited out.
    expect(world.nowMs - beganMs).toBeGreaterThanOrEqual(180_000);
  });
});

describe('discarding', () => {
  it('exports first, then removes, and moves nothing', async () => {
    park(3);

    const run = await replay({ action: 'discard', filter: { messageIds: ids(1) } });

    expect(run).toMatchObject({ state: 'done', counters: { discarded: 1, moved: 0 } });
    expect(
      world.exported.flatMap(({ messages }) => messages.map((m) => m.properties.messageId)),
    ).toEqual(ids(1));
    expect(parkedIds()).toEqual(ids(0, 2));
    expect(world.publishes).toBe(0);
    const kinds = (await store.audit.query(flow.name, { run: run.id })).map(
      ({ event }) => event.kind,
    );
    expect(kinds.toReversed()).toEqual(['started', 'exported', 'discarded', 'ended']);
  });

  it('removes nothing that could not be exported', async () => {
    park(2);
    const plan = await planOf({ action: 'discard' });
    await startRun(ports, flow, plan.id, ORDER);
    ports = {
      ...ports,
      exporter: { keep: () => Promise.reject(new Error('AccessDenied')) },
    };

    const end = await execute(plan.id);

    expect(end).toMatchObject({ kind: 'to-be-continued', why: 'AccessDenied' });
    expect(parkedIds()).toEqual(ids(0, 1));
  });
});
