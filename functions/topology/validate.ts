import { TopologyError } from './errors.ts';
import type { BindingModel, QueueModel, Topology } from './types.ts';
import { MAX_NAME_BYTES, validateName } from './validate-name.ts';
import { validateQueue } from './validate-queue.ts';

/**
 * Refuses a topology that the broker would refuse, or that would lose, delete or wedge messages.
 * Also for a model that came from elsewhere, such as a custom resource's properties.
 * @throws TopologyError naming the first thing wrong and the way out.
 */
export function validateTopology(topology: Topology): void {
  const flowOf = new Map<string, QueueModel>();
  for (const queue of topology.queues) {
    validateName('Queue', queue.name);
    const other = flowOf.get(queue.name);
    if (other !== undefined) throw conflict(queue, other);
    flowOf.set(queue.name, queue);
    validateQueue(queue);
  }
  for (const { name } of topology.exchanges) {
    // `amq.topic` and its like exist on every broker, and may be bound to.
    validateName('Exchange', name, { reservedAllowed: true });
  }
  for (const binding of topology.bindings) validateBinding(binding);
}

function conflict(queue: QueueModel, other: QueueModel): TopologyError {
  const describe = ({ flow, role }: QueueModel) => `flow "${flow}" (${role})`;
  return new TopologyError(
    'CONFLICT',
    `Queue "${queue.name}" is wanted by ${describe(other)} and by ${describe(queue)}; give one of them another queue name.`,
  );
}

function validateBinding({ queue, exchange, routingKey }: BindingModel): void {
  const bytes = Buffer.byteLength(routingKey, 'utf8');
  if (bytes > MAX_NAME_BYTES) {
    throw new TopologyError(
      'BAD_NAME',
      `Routing key "${routingKey}" from "${exchange}" to "${queue}" has ${bytes} bytes, the broker takes ${MAX_NAME_BYTES}.`,
    );
  }
}
