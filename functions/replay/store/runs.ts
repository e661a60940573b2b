import { ReplayError } from '../errors.ts';
import { type EndState, isRunState, mayBecome } from '../run-state.ts';
import {
  type LeftoverReason,
  NO_COUNTERS,
  type Order,
  type Pace,
  type Run,
  type RunCounters,
} from '../types.ts';
import { type Lease, type Leases, leaseLost } from './lease.ts';
import { planFromJson } from './plan-json.ts';
import { runKey } from './plans.ts';
import { expiryOf, type Item, numberOf, type Table, textOf } from './table.ts';

/** What happened is in the audit for good; the working state is kept for a quarter of a year. */
export const KEEP_RUN_MS = 90 * 86_400_000;
/** A booking whose run was never started is the trace of a starter that died in between. */
const BOOKING_PATIENCE_MS = 60_000;

/** How a run ended, or stands. */
export interface Standing {
  readonly counters: RunCounters;
  readonly leftovers: Readonly<Partial<Record<LeftoverReason, number>>>;
  readonly depthBefore?: number;
  readonly depthAfter?: number;
}

export interface Runs {
  get(id: string): Promise<Run | undefined>;
  /** @throws ReplayError `PLAN_UNKNOWN` */
  mustGet(id: string): Promise<Run>;
  /** Started runs of a flow, newest first. */
  list(flow: string, limit: number): Promise<Run[]>;
  /**
   * planned → running, once, and only while the flow has no other run; `pace` replaces the plan's.
   * @throws ReplayError `PLAN_UNKNOWN`, `PLAN_USED`, `PLAN_EXPIRED`, `RUN_ACTIVE`
   */
  start(id: string, order: Order, nowMs: number, pace?: Pace): Promise<Run>;
  /** Writes the standing and reads whether the run was cancelled. @throws ReplayError `LEASE_LOST` */
  report(lease: Lease, standing: Standing): Promise<{ readonly cancelledBy: string | undefined }>;
  /** running → an end. @throws ReplayError `LEASE_LOST` */
  end(lease: Lease, state: EndState, why: string, standing: Standing, nowMs: number): Promise<void>;
  /** A planned run is cancelled at once; a running one is asked to stop. False when it is over. */
  cancel(id: string, by: string, nowMs: number): Promise<boolean>;
  /** Ends a run that lost its flow to another one before it ever worked. */
  abandon(id: string, why: string, nowMs: number): Promise<void>;
}

export function createRuns(table: Table, leases: Leases): Runs {
  const keyOf = (id: string) => ({ pk: runKey(id), sk: 'run' });
  const get = async (id: string) => runOf(await table.get(keyOf(id)), id);
  const mustGet = async (id: string) => {
    const run = await get(id);
    if (run !== undefined) return run;
    throw new ReplayError('PLAN_UNKNOWN', `There is no plan ${id} here; make one with 'plan'.`);
  };

  /** Books the flow, clearing away the booking of a run that is over or was never started. */
  const book = async (run: Run, by: string, nowMs: number) => {
    for (let tries = 0; tries < 3; tries++) {
      if (await leases.book(run.flow, run.id, by, nowMs)) return;
      const active = await leases.active(run.flow);
      if (active === undefined) continue;
      const other = await get(active.run);
      const unstarted = other?.state === 'planned' && active.sinceMs + BOOKING_PATIENCE_MS < nowMs;
      if (other?.state === 'running' || (other?.state === 'planned' && !unstarted)) {
        throw new ReplayError(
          'RUN_ACTIVE',
          `Run ${active.run} of flow ${run.flow} is under way, started by ${active.by} at ${new Date(active.sinceMs).toISOString()}; watch or cancel it first.`,
        );
      }
      await leases.unbook(run.flow, active.run);
    }
    throw new ReplayError('RUN_ACTIVE', `Other runs of flow ${run.flow} keep starting; try again.`);
  };

  return {
    get,
    mustGet,

    async list(flow, limit) {
      const items = await table.query(`flow#${flow}`, { prefix: 'run#', newestFirst: true, limit });
      const runs = await Promise.all(items.map((item) => get(textOf(item, 'run') ?? '')));
      return runs.filter((run) => run !== undefined);
    },

    async start(id, order, nowMs, pace = {}) {
      const planned = await mustGet(id);
      refuseUnless(planned, nowMs);
      await book(planned, order.by, nowMs);
      const item = await table.update(keyOf(id), {
        set: {
          state: 'running',
          order: JSON.stringify(order),
          pace: JSON.stringify(pace),
          startedAtMs: nowMs,
          expiresAt: expiryOf(nowMs, KEEP_RUN_MS),
        },
        condition: '#state = :planned AND #validUntilMs >= :startedAtMs',
        names: ['validUntilMs'],
        values: { planned: 'planned' },
      });
      if (item === false) {
        const now = await mustGet(id);
        // Somebody else started this very plan: the booking is theirs.
        if (now.state !== 'running') await leases.unbook(now.flow, id);
        refuseUnless(now, nowMs);
        throw new ReplayError('PLAN_USED', `Plan ${id} was started by somebody else just now.`);
      }
      const sk = `run#${new Date(nowMs).toISOString()}#${id}`;
      await table.create(
        { pk: `flow#${planned.flow}`, sk },
        { run: id, expiresAt: expiryOf(nowMs, KEEP_RUN_MS) },
      );
      return runOf(item, id) ?? planned;
    },

    async report(lease, standing) {
      const item = await table.update(keyOf(lease.run), {
        set: { ...standingAttributes(standing), fence: lease.fence },
        condition: OWNED,
        names: ['state'],
        values: { running: 'running' },
      });
      if (item === false) throw leaseLost(lease.run);
      return { cancelledBy: textOf(item, 'cancelledBy') };
    },

    async end(lease, state, why, standing, nowMs) {
      const item = await table.update(keyOf(lease.run), {
        set: { ...standingAttributes(standing), fence: lease.fence, state, why, endedAtMs: nowMs },
        condition: OWNED,
        values: { running: 'running' },
      });
      if (item === false) {
        // The SDK repeats a request whose answer was lost and finds its own first success.
        const now = await get(lease.run);
        if (now?.state !== state || now.why !== why) throw leaseLost(lease.run);
      }
      await leases.unbook(lease.flow, lease.run);
    },

    async cancel(id, by, nowMs) {
      const run = await mustGet(id);
      const ended = await table.update(keyOf(id), {
        set: {
          state: 'cancelled',
          cancelledBy: by,
          endedAtMs: nowMs,
          why: 'cancelled before it ran',
        },
        condition: '#state = :planned',
        values: { planned: 'planned' },
      });
      if (ended !== false) return true;
      const asked = await table.update(keyOf(run.id), {
        set: { cancelledBy: by },
        condition: '#state = :running',
        names: ['state'],
        values: { running: 'running' },
      });
      return asked !== false;
    },

    async abandon(id, why, nowMs) {
      await table.update(keyOf(id), {
        set: { state: 'halted', why, endedAtMs: nowMs },
        condition: '#state = :running',
        values: { running: 'running' },
      });
    },
  };
}

/** Forward only, and only by the newest holder. */
const OWNED = '#state = :running AND (attribute_not_exists(#fence) OR #fence <= :fence)';

function refuseUnless(run: Run, nowMs: number): void {
  if (!mayBecome(run.state, 'running')) {
    const by = run.order === undefined ? '' : ` (started by ${run.order.by})`;
    throw new ReplayError(
      'PLAN_USED',
      `Plan ${run.id} is ${run.state}${by}; a plan runs once, make a new one.`,
    );
  }
  if (run.plan.validUntil.getTime() < nowMs) {
    throw new ReplayError(
      'PLAN_EXPIRED',
      `Plan ${run.id} was valid until ${run.plan.validUntil.toISOString()}; make a new one.`,
    );
  }
}

function standingAttributes({ counters, leftovers, depthBefore, depthAfter }: Standing) {
  return {
    counters: JSON.stringify(counters),
    leftovers: JSON.stringify(leftovers),
    depthBefore,
    depthAfter,
  };
}

function runOf(item: Item | undefined, id: string): Run | undefined {
  const planText = textOf(item, 'plan');
  const state = textOf(item, 'state');
  if (planText === undefined || !isRunState(state)) return undefined;
  const order = parsed<Order>(textOf(item, 'order'));
  const startedAtMs = numberOf(item, 'startedAtMs');
  const endedAtMs = numberOf(item, 'endedAtMs');
  const why = textOf(item, 'why');
  const cancelledBy = textOf(item, 'cancelledBy');
  const depthBefore = numberOf(item, 'depthBefore');
  const depthAfter = numberOf(item, 'depthAfter');
  const planned = planFromJson(planText);
  const pace = parsed<Pace>(textOf(item, 'pace'));
  const plan = { ...planned, options: { ...planned.options, ...pace } };
  return {
    id,
    flow: plan.flow,
    state,
    plan,
    counters: parsed<RunCounters>(textOf(item, 'counters')) ?? NO_COUNTERS,
    leftovers: parsed<Run['leftovers']>(textOf(item, 'leftovers')) ?? {},
    ...(order === undefined ? {} : { order }),
    ...(startedAtMs === undefined ? {} : { startedAt: new Date(startedAtMs) }),
    ...(endedAtMs === undefined ? {} : { endedAt: new Date(endedAtMs) }),
    ...(why === undefined ? {} : { why }),
    ...(cancelledBy === undefined ? {} : { cancelledBy }),
    ...(depthBefore === undefined ? {} : { depthBefore }),
    ...(depthAfter === undefined ? {} : { depthAfter }),
  };
}

function parsed<T>(text: string | undefined): T | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
