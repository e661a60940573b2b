import type { Flow } from '../../policy/types.ts';
import { buildTopology } from '../../topology/model.ts';
import type { QueueRole } from '../../topology/types.ts';
import { type Reading, reading } from '../guards.ts';
import type { RequestReader } from '../requests.ts';
import { flowOf } from './flow-of.ts';
import type { Flows, OperatorPorts } from './types.ts';

const RUNS_LISTED = 5;

/** A figure, or why it is not known: an absent one is never 0. */
export type Figure<T> = T | { readonly unknown: string };

/** How flows stand, without opening parking: all of them, or the one that is named. */
export function status(ports: OperatorPorts, flows: Flows, request: RequestReader) {
  const asked = request.optionalText('flow') === undefined ? flows : [flowOf(flows, request)];
  return Promise.all(asked.map((flow) => statusOf(ports, flow)));
}

export type FlowStatus = Awaited<ReturnType<typeof statusOf>>;

async function statusOf(ports: OperatorPorts, flow: Flow<never>) {
  const { store } = ports;
  const [active, runs, switchState, budgetUsed, depth, parkedSince, pollers] = await Promise.all([
    store.leases.active(flow.name),
    store.runs.list(flow.name, RUNS_LISTED),
    reading(() => ports.killSwitch(flow.name)),
    store.budget.used(flow.name, ports.now()),
    depthsOf(ports, flow),
    reading(async () => (await ports.parkedSince(flow.name)) ?? null),
    reading(() => ports.pollers(flow.name)),
  ]);
  return {
    environment: ports.environment,
    flow: flow.name,
    queue: flow.queue,
    automatic: flow.replay.automatic,
    switch: switchState.kind === 'read' ? switchState.value : `unreadable: ${switchState.why}`,
    depth,
    /** Null: parking is empty, or nobody has watched it. At least as old as its oldest message. */
    parkedSince: figure(parkedSince),
    pollers: figure(pollers),
    active,
    budget: { used: budgetUsed, hourly: flow.replay.hourlyBudget },
    runs: runs.map(({ id, state, why, startedAt, endedAt, counters, leftovers, order, plan }) => ({
      id,
      action: plan.action,
      state,
      why,
      startedAt,
      endedAt,
      counters,
      leftovers,
      by: order?.by,
      reason: order?.reason,
    })),
  };
}

/** Totals by the part a queue plays; those of several queues are one sum, unknown when one of them is. */
async function depthsOf(ports: OperatorPorts, flow: Flow<never>) {
  const { queues } = buildTopology([flow]);
  const total = (...roles: readonly QueueRole[]) =>
    reading(async () => {
      const named = queues.filter(({ role }) => roles.includes(role));
      const totals = await Promise.all(named.map(({ name }) => ports.queueTotal(name)));
      return totals.reduce((sum, count) => sum + count, 0);
    });
  const [work, waiting, isolated, parked] = await Promise.all([
    total('work'),
    total('wait'),
    total('isolated', 'isolated-wait'),
    total('parked'),
  ]);
  return {
    work: figure(work),
    waiting: figure(waiting),
    isolated: figure(isolated),
    parked: figure(parked),
  };
}

function figure<T>(from: Reading<T>): Figure<T> {
  return from.kind === 'read' ? from.value : { unknown: from.why };
}
