import { expect } from 'vitest';
import { ConnectionError } from '../../functions/broker/errors.ts';
import { executeRun } from '../../functions/replay/execute.ts';
import { makePlan } from '../../functions/replay/plan.ts';
import { startRun } from '../../functions/replay/start.ts';
import { LEASE_MS } from '../../functions/replay/store/lease.ts';
import type { Run } from '../../functions/replay/types.ts';
import { Life, mortalStore } from './mortal.ts';
import type { ReplayTables } from './replay-tables.ts';
import { nacked, parkedCopy, ReplayWorld, replayFlow, returned } from './replay-world.ts';

const ORDER = { by: 'arn:aws:iam::1:user/ada', reason: 'payment is back' };
let sequence = 0;

/** What the broker does with the first publish of a message. */
export type Fault = 'none' | 'returned' | 'nacked' | 'lost-before' | 'lost-after' | 'away';

export interface CrashCase {
  readonly faults: readonly Fault[];
  /** Steps each worker lives; the last worker is immortal. */
  readonly lives: readonly number[];
  readonly ramp: boolean;
  readonly consumed: 'well' | 'again' | 'not';
}

export interface Aftermath {
  readonly run: Run;
  readonly world: ReplayWorld;
  readonly doubted: ReadonlySet<string>;
  readonly died: number;
}

/** Plays a run with its faults and deaths to its end. */
export async function playCrashes(
  tables: ReplayTables,
  { faults, lives, ramp, consumed }: CrashCase,
): Promise<Aftermath> {
  const flow = replayFlow(`crash-${++sequence}`);
  const store = tables.openStore();
  const world = new ReplayWorld();
  world.parked = faults.map((_, n) => parkedCopy(n));
  const planned = world.ports(store);
  const options = { ramp };
  const plan = await makePlan(planned, flow, {
    action: 'replay',
    by: ORDER.by,
    filter: {},
    options,
  });
  await startRun(planned, flow, plan.id, ORDER);

  const met = new Set<number>();
  world.onPublish = async (copy) => {
    const { properties, headers } = copy;
    const n = Number(properties.messageId?.slice(2));
    const fault = met.has(n) ? 'none' : (faults[n] ?? 'none');
    met.add(n);
    if (fault === 'returned') throw returned();
    if (fault === 'nacked') throw nacked();
    if (fault === 'away') throw new ConnectionError('CONNECT_FAILED', 'refused');
    const lost = new ConnectionError('CONNECTION_LOST', 'reset', { mayBeWritten: true });
    if (fault === 'lost-before') throw lost;
    if (consumed !== 'not') {
      const runId = String(headers['x-replay-run']);
      const report = { runId, messageId: `m-${n}`, ok: consumed === 'well' };
      await store.outcomes.record(report, world.nowMs);
    }
    if (fault === 'lost-after') {
      world.work.push(copy);
      throw lost;
    }
  };

  let died = 0;
  for (const steps of [...lives, Number.POSITIVE_INFINITY]) {
    const life = new Life(steps);
    const worker = tables.openStore();
    const ports = world.ports(mortalStore(worker, life), life.step);
    const deadlineAtMs = world.nowMs + 800_000;
    const end = await executeRun(ports, flow, plan.id, { worker: `w-${died}`, deadlineAtMs }).catch(
      (error: unknown) => {
        if (!life.over) throw error;
      },
    );
    if (life.over) died += 1;
    world.bury();
    world.nowMs += LEASE_MS + 1;
    if (end?.kind === 'ended' && !life.over) break;
  }
  const run = await store.runs.mustGet(plan.id);
  const doubts = await store.doubts.load(flow.name);
  const doubted = new Set([...doubts.values()].map(({ messageId }) => messageId));
  return { run, world, doubted, died };
}

/** Nothing lost, nothing doubled that the run does not name, everything accounted for, order kept. */
export function checkAftermath({ faults }: CrashCase, { run, world, doubted }: Aftermath): void {
  expect(['done', 'halted']).toContain(run.state);
  const parked = world.parked.map(({ properties }) => properties.messageId ?? '');
  const copies = world.work.map(({ properties }) => properties.messageId ?? '');
  for (const n of faults.keys()) {
    const id = `m-${n}`;
    const atRest = parked.filter((other) => other === id).length;
    const out = copies.filter((other) => other === id).length;
    // Never lost, never copied twice, never parked twice.
    expect(atRest + out, `${id} somewhere`).toBeGreaterThanOrEqual(1);
    expect(out, `${id} copied`).toBeLessThanOrEqual(1);
    expect(atRest, `${id} parked`).toBeLessThanOrEqual(1);
    // In two places only where the run itself says that it doesn't know.
    if (atRest + out > 1) expect(doubted.has(id), `${id} in doubt`).toBe(true);
  }
  // What rests keeps its order, and every planned message is accounted for.
  const order = parked.map((id) => Number(id.slice(2)));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  const { moved, duplicates, superseded, failed } = run.counters;
  const rest = (run.leftovers.gone ?? 0) + (run.leftovers['not-reached'] ?? 0);
  expect(moved + duplicates + failed + rest).toBeLessThanOrEqual(faults.length);
  expect(moved + duplicates + superseded + failed + rest).toBeGreaterThanOrEqual(faults.length);
}
