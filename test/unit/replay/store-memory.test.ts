import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Lease } from '../../../functions/replay/store/lease.ts';
import type { MoveEntry } from '../../../functions/replay/store/moves.ts';
import type { ReplayStore } from '../../../functions/replay/store/replay-store.ts';
import { NO_COUNTERS } from '../../../functions/replay/types.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { NOW } from './facts.ts';
import { fingerprint, ORDER } from './plans.ts';

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

const entries = (count: number): MoveEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    fingerprint: fingerprint(n),
    messageId: `m-${n}`,
    signature: 's-1',
  }));

describe('the log of moves', () => {
  const leaseOf = (fence: number): Lease => ({ flow, run: `${flow}-r`, owner: 'w', fence });

  it('tells an adopter what was intended, what was done and what was left', async () => {
    const [first, second, third] = entries(3) as [MoveEntry, MoveEntry, MoveEntry];
    await store.moves.intend(leaseOf(1), [first, second, third], NOW_MS);
    await store.moves.done(leaseOf(1), [{ ...first, deed: 'moved' }], NOW_MS);
    await store.moves.withdraw(leaseOf(1), [third], NOW_MS);
    await store.moves.left(
      leaseOf(1),
      [{ ...second, reason: 'unroutable', detail: '312' }],
      NOW_MS,
    );

    expect(await tables.openStore().moves.load(`${flow}-r`)).toEqual({
      intended: [first, second, third],
      withdrawn: [third],
      done: [{ ...first, deed: 'moved' }],
      left: [{ ...second, reason: 'unroutable', detail: '312' }],
    });
  });

  it('keeps lists beyond the size of an item, in order', async () => {
    const many = entries(2_500);
    await store.moves.intend(leaseOf(1), many, NOW_MS);

    expect((await store.moves.load(`${flow}-r`)).intended).toEqual(many);
  });

  it('keeps ids with tabs, lines and percent signs as they are', async () => {
    const odd = { fingerprint: fingerprint(1), messageId: 'a\tb\nc%0A\r', signature: '100 %' };
    await store.moves.intend(leaseOf(1), [odd], NOW_MS);
    await store.moves.left(leaseOf(1), [{ ...odd, reason: 'gone', detail: 'x\ty' }], NOW_MS);

    const { intended, left } = await store.moves.load(`${flow}-r`);

    expect(intended).toEqual([odd]);
    expect(left).toEqual([{ ...odd, reason: 'gone', detail: 'x\ty' }]);
  });

  it('keeps the words of two holders apart', async () => {
    await store.moves.intend(leaseOf(1), entries(1), NOW_MS);
    await tables.openStore().moves.intend(leaseOf(2), entries(2), NOW_MS);

    expect((await store.moves.load(`${flow}-r`)).intended).toHaveLength(3);
  });

  it('refuses to write over what another process wrote under the same fence', async () => {
    await store.moves.intend(leaseOf(1), entries(1), NOW_MS);

    await expect(
      tables.openStore().moves.intend(leaseOf(1), entries(2), NOW_MS),
    ).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});

describe('outcomes', () => {
  const report = (messageId: string, ok: boolean) => ({ runId: `${flow}-r`, messageId, ok });

  it('of a run nobody reported on are none', async () => {
    expect(await store.outcomes.of(`${flow}-r`)).toEqual({ well: 0, failed: [] });
    expect(await store.outcomes.seen(`${flow}-r`, 'm-1')).toBe(false);
  });

  it('count each message once, however often it is reported', async () => {
    for (const id of ['m-1', 'm-1', 'm-2']) await store.outcomes.record(report(id, true), NOW_MS);
    for (const id of ['m-3', 'm-3']) await store.outcomes.record(report(id, false), NOW_MS);

    expect(await store.outcomes.of(`${flow}-r`)).toEqual({ well: 2, failed: ['m-3'] });
    expect(await store.outcomes.seen(`${flow}-r`, 'm-3')).toBe(true);
  });

  it('keep a failure although the message ended well later', async () => {
    await store.outcomes.record(report('m-1', false), NOW_MS);
    await store.outcomes.record(report('m-1', true), NOW_MS);

    expect(await store.outcomes.of(`${flow}-r`)).toEqual({ well: 1, failed: ['m-1'] });
  });
});

describe('the budget', () => {
  it('counts what was spent within the past hour, per flow', async () => {
    await store.budget.spend(flow, 100, NOW_MS);
    await store.budget.spend(flow, 50, NOW_MS + 1_000);
    await store.budget.spend('another', 999, NOW_MS);

    expect(await store.budget.used(flow, NOW_MS + 2_000)).toBe(150);
  });

  it.each([
    [59 * 60_000, 100],
    [60 * 60_000, 100],
    [66 * 60_000, 0],
  ])('%d ms later it still counts %d', async (laterMs, expected) => {
    await store.budget.spend(flow, 100, NOW_MS);

    expect(await store.budget.used(flow, NOW_MS + laterMs)).toBe(expected);
  });
});

describe('relapses and doubts', () => {
  it('of a signature add up until they are forgotten', async () => {
    await store.relapses.add(flow, 's-1', NOW_MS);
    await store.relapses.add(flow, 's-1', NOW_MS + 1);
    await store.relapses.add(flow, 's-2', NOW_MS);

    expect(await store.relapses.load(flow)).toEqual(
      new Map([
        ['s-1', { failures: 2, lastFailedAtMs: NOW_MS + 1 }],
        ['s-2', { failures: 1, lastFailedAtMs: NOW_MS }],
      ]),
    );
    await store.relapses.forget(flow, 's-1');
    expect([...(await store.relapses.load(flow)).keys()]).toEqual(['s-2']);
  });

  it('about a message are found by its content', async () => {
    await store.doubts.add(flow, 'r-1', entries(2), NOW_MS);

    expect(await store.doubts.load(flow)).toEqual(
      new Map([
        [fingerprint(0), { run: 'r-1', messageId: 'm-0', atMs: NOW_MS }],
        [fingerprint(1), { run: 'r-1', messageId: 'm-1', atMs: NOW_MS }],
      ]),
    );
  });
});

describe('the audit', () => {
  const ended = {
    kind: 'ended',
    state: 'done',
    why: 'all moved',
    order: ORDER,
    counters: NO_COUNTERS,
    leftovers: {},
    depthBefore: 10,
    depthAfter: 0,
  } as const;

  it('is read newest first, lines of the same millisecond included', async () => {
    await store.audit.append(flow, 'r-1', { kind: 'moved', ids: ['m-1'] }, NOW_MS);
    await store.audit.append(flow, 'r-1', { kind: 'moved', ids: ['m-2'] }, NOW_MS);
    await store.audit.append(flow, 'r-1', ended, NOW_MS + 1);

    const lines = await store.audit.query(flow);

    expect(lines.map(({ event }) => event.kind)).toEqual(['ended', 'moved', 'moved']);
    expect(lines[0]).toEqual({ at: new Date(NOW_MS + 1), flow, run: 'r-1', event: ended });
  });

  it('is asked by run, by time and with a limit', async () => {
    for (const [n, run] of ['r-1', 'r-2', 'r-1'].entries()) {
      await store.audit.append(flow, run, { kind: 'cancel-asked', by: `${n}` }, NOW_MS + n * 1_000);
    }
    const by = async (query: Parameters<typeof store.audit.query>[1]) =>
      (await store.audit.query(flow, query)).map(({ event }) => 'by' in event && event.by);

    expect(await by({ run: 'r-1' })).toEqual(['2', '0']);
    expect(await by({ limit: 1 })).toEqual(['2']);
    expect(await by({ to: new Date(NOW_MS + 1_000) })).toEqual(['1', '0']);
    expect(await by({ from: new Date(NOW_MS + 1_000) })).toEqual(['2', '1']);
  });

  it('takes lists of at most 1,000 ids', async () => {
    const ids = Array.from({ length: 1_001 }, (_, n) => `m-${n}`);

    await store.audit.append(flow, 'r-1', { kind: 'moved', ids: ids.slice(1) }, NOW_MS);
    await expect(
      store.audit.append(flow, 'r-1', { kind: 'moved', ids }, NOW_MS),
    ).rejects.toMatchObject({ code: 'STORE' });
  });
});
