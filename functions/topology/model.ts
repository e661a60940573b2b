import { parkedArguments, waitArguments, workArguments } from './arguments.ts';
import { TopologyError } from './errors.ts';
import {
  isolatedQueueName,
  isolatedWaitQueueName,
  parkedQueueName,
  waitQueueName,
} from './names.ts';
import type {
  BindingModel,
  ExchangeModel,
  QueueModel,
  QueueRole,
  Topology,
  TopologyInput,
} from './types.ts';
import { validateTopology } from './validate.ts';

export interface BuildOptions {
  /** How long a wait in isolation takes, in milliseconds. Default 30 s; local runs scale it. */
  readonly isolatedWaitMs?: number;
}

const ISOLATED_WAIT_MS = 30_000;
/** A flow that never retries still defers what it had no time for. */
const DEFERRAL_WAIT_MS = 10_000;

/**
 * Flows → exchanges, queues, bindings. Pure, the same for every version of the broker, and the order
 * depends on the order of the flows alone. Per flow: the work queue, a wait queue per delay and jitter
 * lane, isolation and its wait, parking.
 * @throws TopologyError when two flows get in each other's way, or a name or argument is unusable.
 */
export function buildTopology(
  flows: readonly TopologyInput[],
  options: BuildOptions = {},
): Topology {
  const isolatedWaitMs = options.isolatedWaitMs ?? ISOLATED_WAIT_MS;
  const topology: Topology = {
    exchanges: mergeExchanges(flows),
    queues: flows.flatMap((flow) => queuesOf(flow, isolatedWaitMs)),
    bindings: flows.flatMap(bindingsOf),
  };
  validateTopology(topology);
  return topology;
}

function queuesOf(flow: TopologyInput, isolatedWaitMs: number): QueueModel[] {
  const work = flow.queue;
  const isolated = isolatedQueueName(work);
  const ours = flow.queueMode === 'declare';
  const model = (name: string, role: QueueRole, rest: Pick<QueueModel, 'arguments' | 'delayMs'>) =>
    ({ name, flow: flow.name, role, declare: true, ...rest }) satisfies QueueModel;
  return [
    {
      ...model(work, 'work', { arguments: ours ? workArguments(work) : {} }),
      declare: ours,
    },
    ...waitsMs(flow).map((delayMs) =>
      model(waitQueueName(work, delayMs), 'wait', {
        arguments: waitArguments(work, delayMs),
        delayMs,
      }),
    ),
    model(isolated, 'isolated', { arguments: workArguments(work) }),
    model(isolatedWaitQueueName(work), 'isolated-wait', {
      arguments: waitArguments(isolated, isolatedWaitMs),
      delayMs: isolatedWaitMs,
    }),
    model(parkedQueueName(work), 'parked', { arguments: parkedArguments() }),
  ];
}

/** Every delay times every jitter lane, sorted, each once. Lane 0 is the delay itself. */
function waitsMs({ schedule }: TopologyInput): number[] {
  const tiersMs = schedule.delaysMs.length > 0 ? schedule.delaysMs : [DEFERRAL_WAIT_MS];
  const { lanes, spread } = schedule.jitter;
  const all = tiersMs.flatMap((delayMs) =>
    Array.from({ length: Math.max(1, lanes) }, (_, lane) =>
      lane === 0 ? delayMs : Math.round(delayMs * (1 + lane * spread)),
    ),
  );
  return [...new Set(all)].sort((a, b) => a - b);
}

function mergeExchanges(flows: readonly TopologyInput[]): ExchangeModel[] {
  const found = new Map<string, ExchangeModel & { readonly flow: string }>();
  for (const flow of flows) {
    for (const { exchange, type } of flow.bindings) {
      const first = found.get(exchange);
      if (first !== undefined && first.type !== type) {
        throw new TopologyError(
          'CONFLICT',
          `Exchange "${exchange}" is "${first.type}" in flow "${first.flow}" and "${type}" in flow "${flow.name}"; an exchange has one type.`,
        );
      }
      if (first === undefined) found.set(exchange, { name: exchange, type, flow: flow.name });
    }
  }
  return [...found.values()].map(({ name, type }) => ({ name, type }));
}

function bindingsOf(flow: TopologyInput): BindingModel[] {
  if (flow.queueMode === 'existing' && flow.bindings.length > 0) {
    throw new TopologyError(
      'BAD_BINDING',
      `Flow "${flow.name}" has bindings, but its queue "${flow.queue}" belongs to someone else; leave them to its owner, or declare the queue.`,
    );
  }
  const seen = new Set<string>();
  return flow.bindings.flatMap(({ exchange, routingKey, arguments: table = {} }) => {
    const binding = { queue: flow.queue, exchange, routingKey, arguments: table };
    const key = JSON.stringify([exchange, routingKey, Object.entries(table).sort()]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [binding];
  });
}
