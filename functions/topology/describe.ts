import type { BindingModel, QueueArguments, QueueModel, Topology } from './types.ts';

/**
 * The topology as text for people: one block per flow, its queues with their arguments, then the
 * exchanges and bindings. For programs the model itself is the JSON.
 */
export function describeTopology(topology: Topology): string {
  const flows = [...new Set(topology.queues.map(({ flow }) => flow))];
  const blocks = flows.map((flow) => {
    const queues = topology.queues.filter((queue) => queue.flow === flow);
    return [`flow ${flow}`, ...table(queues.map(queueRow))].join('\n');
  });
  if (topology.exchanges.length > 0) {
    const rows = topology.exchanges.map(({ name, type }) => [name, type, 'durable']);
    blocks.push(['exchanges', ...table(rows)].join('\n'));
  }
  if (topology.bindings.length > 0) {
    blocks.push(['bindings', ...table(topology.bindings.map(bindingRow))].join('\n'));
  }
  return blocks.join('\n\n');
}

function queueRow({ name, role, declare, arguments: args }: QueueModel): string[] {
  return [name, role, declare ? argumentsText(args) : "checked only: somebody else's"];
}

function bindingRow({ exchange, queue, routingKey, arguments: args }: BindingModel): string[] {
  return [exchange, `→ ${queue}`, `key "${routingKey}"`, argumentsText(args)];
}

function argumentsText(args: QueueArguments): string {
  return Object.entries(args)
    .map(([key, value]) => `${key.replace(/^x-/, '')}=${value === '' ? '""' : value}`)
    .join(' ');
}

/** Columns padded to their widest cell, two spaces apart, nothing after the last one. */
function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
}
