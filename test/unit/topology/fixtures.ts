import type { QueueModel, TopologyInput } from '../../../functions/topology/types.ts';

/** A flow `orders` with two delays; parts replace what a test is about. */
export function aFlow(
  parts: Partial<Omit<TopologyInput, 'schedule'>> & {
    readonly delaysMs?: readonly number[];
    readonly jitter?: TopologyInput['schedule']['jitter'];
  } = {},
): TopologyInput {
  const { delaysMs = [10_000, 60_000], jitter = { lanes: 1, spread: 0 }, ...rest } = parts;
  return {
    name: 'orders',
    queue: 'orders',
    queueMode: 'declare',
    bindings: [{ exchange: 'shop', type: 'topic', routingKey: 'order.*' }],
    schedule: { delaysMs, jitter },
    ...rest,
  };
}

/** A sound wait queue; arguments replace or, as undefined, remove its own. */
export function aWaitQueue(
  args: Record<string, unknown> = {},
  parts: Partial<QueueModel> = {},
): QueueModel {
  const all: Record<string, unknown> = {
    'x-queue-type': 'quorum',
    'x-message-ttl': 10_000,
    'x-dead-letter-exchange': '',
    'x-dead-letter-routing-key': 'orders',
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish',
    'x-delivery-limit': 2_000_000_000,
    ...args,
  };
  for (const key of Object.keys(all)) if (all[key] === undefined) delete all[key];
  return {
    name: 'orders.wait.10s',
    flow: 'orders',
    role: 'wait',
    declare: true,
    arguments: all as QueueModel['arguments'],
    ...parts,
  };
}
