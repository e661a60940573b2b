import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../../../functions/replay/selection.ts';
import { LEASE_MS } from '../../../functions/replay/store/lease.ts';
import type { ReplayStore } from '../../../functions/replay/store/replay-store.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { NOW } from './facts.ts';
import { aPlan, ORDER, selectionOf, standing } from './plans.ts';

const NOW_MS = NOW.getTime();
let tables: ReplayTables;
let store: ReplayStore;
let flow: string;
let sequence = 0;

beforeAll(async () => {
  tables = await startReplayTables();
});
afterAll(async () => {
  await tables.stop();
});
beforeEach(() => {
  store = tables.openStore();
  flow = `flow-${++sequence}`;
});

async function planned(id: string, parts: Parameters<typeof aPlan>[0] = {}): Promise<string> {
  const plan = aPlan({ id: `${flow}-${id}`, flow, ...parts });
  await store.plans.save(plan, selectionOf(plan.selected));
  return plan.id;
}

async function running(id: string) {
  const run = await planned(id);
  await store.runs.start(run, ORDER, NOW_MS);
  return run;
}

describe('a plan', () => {
  it('comes back as it was saved, dates and selection included', async () => {
    const plan = aPlan({ id: `${flow}-p`, flow });
    await store.plans.save(plan, selectionOf(2));

    const run = await store.runs.mustGet(plan.id);

    expect(run.state).toBe('planned');
    expect(run.plan).toEqual(plan);
    expect(await store.plans.selection(run.plan)).toEqual(selectionOf(2));
  });

  it('of many thousand messages is whole again', async () => {
    const many = selectionOf(25_001);

    const plan = aPlan({ id: `${flow}-p`, flow, selected: many.length, digest: digestOf(many) });
    await store.plans.save(plan, many);

    expect(await store.plans.selection(plan)).toEqual(many);
  });

  it('whose selection is not what its digest says is refused', async () => {
    const plan = aPlan({ id: `${flow}-p`, flow, digest: 'of something else' });
    await store.plans.save(plan, selectionOf(2));

    await expect(store.plans.selection(plan)).rejects.toMatchObject({ code: 'PLAN_DAMAGED' });
  });

  it('nobody made is unknown', async () => {
    await expect(store.runs.mustGet('nothing')).rejects.toMatchObject({ code: 'PLAN_UNKNOWN' });
    await expect(store.runs.start('nothing', ORDER, NOW_MS)).rejects.toMatchObject({
      code: 'PLAN_UNKNOWN',
    });
  });

  it('with the id of another one is not saved over it', async () => {
    const id = await planned('p');

    await expect(
      store.plans.save(aPlan({ id, flow, selected: 1 }), selectionOf(1)),
    ).rejects.toMatchObject({ code: 'STORE' });
    expect((await store.runs.mustGet(id)).plan.selected).toBe(2);
  });
});

describe('starting', () => {
  it('a plan makes it a run, with who, why and when', async () => {
    const id = await planned('p');

    const run = await store.runs.start(id, { ...ORDER, ticket: 'INC-7' }, NOW_MS);

    expect(run).toMatchObject({
      state: 'running',
      order: { ...ORDER, ticket: 'INC-7' },
      startedAt: NOW,
    });
    expect(await store.leases.active(flow)).toMatchObject({ run: id, by: ORDER.by });
    expect((await store.runs.list(flow, 10)).map((listed) => listed.id)).toEqual([id]);
  });

  it('works once', async () => {
    const id = await running('p');

    const second = store.runs.start(id, ORDER, NOW_MS);

    await expect(second).rejects.toMatchObject({ code: 'PLAN_USED' });
    await expect(second).rejects.toThrow(`started by ${ORDER.by}`);
    expect(await store.leases.active(flow)).toMatchObject({ run: id });
  });

  it('works once of many at the same moment', async () => {
    const id = await planned('p');
    const starts = Array.from({ length: 8 }, () =>
      tables.openStore().runs.start(id, ORDER, NOW_MS),
    );

    const results = await Promise.allSettled(starts);

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await store.runs.mustGet(id)).toMatchObject({ state: 'running' });
    expect(await store.leases.active(flow)).toMatchObject({ run: id });
  });

  it.each([
    [0, true],
    [3_600_000, true],
    [3_600_001, false],
  ])('%d ms after the plan: allowed %s', async (afterMs, allowed) => {
    const id = await planned('p');

    const start = store.runs.start(id, ORDER, NOW_MS + afterMs);

    if (allowed) expect(await start).toMatchObject({ state: 'running' });
    else await expect(start).rejects.toMatchObject({ code: 'PLAN_EXPIRED' });
  });

  it('waits for the flow’s other run, and says whose it is', async () => {
    const first = await running('a');
    const second = await planned('b');

    const start = store.runs.start(second, ORDER, NOW_MS);

    await expect(start).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
    await expect(start).rejects.toThrow(`Run ${first} of flow ${flow} is under way, started by`);
    expect(await store.runs.mustGet(second)).toMatchObject({ state: 'planned' });
  });

  it('of two plans at the same moment starts one of them', async () => {
    const ids = [await planned('a'), await planned('b'), await planned('c')];

    const results = await Promise.allSettled(
      ids.map((id) => tables.openStore().runs.start(id, ORDER, NOW_MS)),
    );

    const started = ids.filter((_, n) => results[n]?.status === 'fulfilled');
    expect(started).toHaveLength(1);
    expect(await store.leases.active(flow)).toMatchObject({ run: started[0] });
  });

  it('clears away the booking of somebody who died before starting, after a minute', async () => {
    const dead = await planned('dead');
    await store.leases.book(flow, dead, 'somebody', NOW_MS);
    const id = await planned('p');

    await expect(store.runs.start(id, ORDER, NOW_MS + 59_000)).rejects.toMatchObject({
      code: 'RUN_ACTIVE',
    });
    expect(await store.runs.start(id, ORDER, NOW_MS + 60_001)).toMatchObject({ state: 'running' });
  });

  it('is possible when the run before died between its end and giving the flow back', async () => {
    const first = await running('a');
    const lease = await store.leases.take(flow, first, 'w', NOW_MS);
    await store.runs.end(lease, 'done', 'all moved', standing(), NOW_MS);
    await store.leases.book(flow, first, 'a ghost', NOW_MS);
    const second = await planned('b');

    expect(await store.runs.start(second, ORDER, NOW_MS)).toMatchObject({ state: 'running' });
  });
});

describe('the lease', () => {
  it('has one holder at a time, with a number that rises', async () => {
    const id = await running('p');
    const first = await store.leases.take(flow, id, 'worker-1', NOW_MS);

    const second = store.leases.take(flow, id, 'worker-2', NOW_MS + LEASE_MS);

    await expect(second).rejects.toMatchObject({ code: 'LOCK_HELD' });
    await expect(second).rejects.toThrow(`started by ${ORDER.by}`);
    const adopted = await store.leases.take(flow, id, 'worker-2', NOW_MS + LEASE_MS + 1);
    expect(adopted.fence).toBe(first.fence + 1);
  });

  it('given back is free at once', async () => {
    const id = await running('p');
    const first = await store.leases.take(flow, id, 'worker-1', NOW_MS);
    await store.leases.giveBack(first);

    expect(await store.leases.take(flow, id, 'worker-2', NOW_MS)).toMatchObject({
      fence: first.fence + 1,
    });
  });

  it('renewed lasts longer', async () => {
    const id = await running('p');
    const lease = await store.leases.take(flow, id, 'worker-1', NOW_MS);
    await store.leases.renew(lease, NOW_MS + 50_000);

    await expect(
      store.leases.take(flow, id, 'worker-2', NOW_MS + LEASE_MS + 1),
    ).rejects.toMatchObject({ code: 'LOCK_HELD' });
  });

  it('of a holder that was asleep does nothing any more', async () => {
    const id = await running('p');
    const asleep = await store.leases.take(flow, id, 'worker-1', NOW_MS);
    const adopter = await store.leases.take(flow, id, 'worker-2', NOW_MS + LEASE_MS + 1);
    await store.runs.report(adopter, standing({ moved: 5 }));

    await expect(store.leases.renew(asleep, NOW_MS)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await expect(store.runs.report(asleep, standing())).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    await expect(store.runs.end(asleep, 'done', 'late', standing(), NOW_MS)).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
    await store.leases.giveBack(asleep);
    expect((await store.leases.active(flow))?.leaseUntilMs).toBeDefined();
    expect(await store.runs.mustGet(id)).toMatchObject({
      state: 'running',
      counters: { moved: 5 },
    });
  });

  it('is not given for a run that is not the flow’s', async () => {
    await running('a');
    const other = await planned('b');

    await expect(store.leases.take(flow, other, 'w', NOW_MS)).rejects.toMatchObject({
      code: 'LEASE_LOST',
    });
  });
});

describe('ending', () => {
  it('frees the flow and keeps how it stood', async () => {
    const id = await running('p');
    const lease = await store.leases.take(flow, id, 'w', NOW_MS);

    await store.runs.end(
      lease,
      'halted',
      'm-1 failed again',
      {
        counters: standing({ moved: 11 }).counters,
        leftovers: { 'not-reached': 89 },
        depthBefore: 100,
        depthAfter: 89,
      },
      NOW_MS + 5_000,
    );

    expect(await store.runs.mustGet(id)).toMatchObject({
      state: 'halted',
      why: 'm-1 failed again',
      counters: { moved: 11 },
      leftovers: { 'not-reached': 89 },
      depthBefore: 100,
      depthAfter: 89,
      endedAt: new Date(NOW_MS + 5_000),
    });
    expect(await store.leases.active(flow)).toBeUndefined();
  });

  it('twice in the same way is the same end; in another way it is refused', async () => {
    const id = await running('p');
    const lease = await store.leases.take(flow, id, 'w', NOW_MS);
    await store.runs.end(lease, 'done', 'all moved', standing(), NOW_MS);

    await store.runs.end(lease, 'done', 'all moved', standing(), NOW_MS);
    await expect(
      store.runs.end(lease, 'halted', 'changed my mind', standing(), NOW_MS),
    ).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await store.runs.mustGet(id)).toMatchObject({ state: 'done' });
  });

  it('a run is never started again', async () => {
    const id = await running('p');
    const lease = await store.leases.take(flow, id, 'w', NOW_MS);
    await store.runs.end(lease, 'done', 'all moved', standing(), NOW_MS);

    await expect(store.runs.start(id, ORDER, NOW_MS)).rejects.toMatchObject({ code: 'PLAN_USED' });
  });
});

describe('cancelling', () => {
  it('a plan ends it at once', async () => {
    const id = await planned('p');

    expect(await store.runs.cancel(id, 'bob', NOW_MS)).toBe(true);
    expect(await store.runs.mustGet(id)).toMatchObject({ state: 'cancelled', cancelledBy: 'bob' });
    await expect(store.runs.start(id, ORDER, NOW_MS)).rejects.toMatchObject({ code: 'PLAN_USED' });
  });

  it('a run asks its worker, who learns it at the next report', async () => {
    const id = await running('p');
    const lease = await store.leases.take(flow, id, 'w', NOW_MS);
    expect(await store.runs.report(lease, standing())).toEqual({ cancelledBy: undefined });

    expect(await store.runs.cancel(id, 'bob', NOW_MS)).toBe(true);

    expect(await store.runs.report(lease, standing())).toEqual({ cancelledBy: 'bob' });
    expect(await store.runs.mustGet(id)).toMatchObject({ state: 'running' });
  });

  it('what is over changes nothing', async () => {
    const id = await running('p');
    const lease = await store.leases.take(flow, id, 'w', NOW_MS);
    await store.runs.end(lease, 'done', 'all moved', standing(), NOW_MS);

    expect(await store.runs.cancel(id, 'bob', NOW_MS)).toBe(false);
    expect(await store.runs.mustGet(id)).toMatchObject({ state: 'done' });
  });
});
