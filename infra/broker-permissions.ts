import type { Topology } from '../functions/topology/types.ts';

/** What a user of the broker may touch: regular expressions over names, as RabbitMQ takes them. */
export interface Permissions {
  readonly tags: readonly string[];
  readonly configure: string;
  readonly write: string;
  readonly read: string;
}

const NOTHING = '^$';
/** Publishing to a queue by name goes through the default exchange, which permissions know by this name. */
const DEFAULT_EXCHANGE = '^amq\\.default$';

/** A flow's function and its pollers: read its two queues, publish copies; declare nothing. */
export function flowPermissions(topology: Topology, flow: string): Permissions {
  return {
    tags: [],
    configure: NOTHING,
    write: DEFAULT_EXCHANGE,
    read: oneOf(
      topology.queues
        .filter((queue) => queue.flow === flow && /^(work|isolated)$/.test(queue.role))
        .map(({ name }) => name),
    ),
  };
}

/**
 * The probe: read figures through the management API, which the tag allows, and no message. To
 * remove retired tiers, which `removeTiers` allows, it may configure wait queues and nothing else.
 */
export function probePermissions(topology: Topology, removeTiers: boolean): Permissions {
  const work = topology.queues.filter(({ role }) => role === 'work').map(({ name }) => name);
  return {
    tags: ['monitoring'],
    configure: removeTiers
      ? `^(${work.map(literal).join('|')})\\.wait\\.[0-9]+(ms|[smhd])$`
      : NOTHING,
    write: NOTHING,
    read: NOTHING,
  };
}

function oneOf(names: readonly string[]): string {
  return `^(${names.map(literal).join('|')})$`;
}

/** Queue names are data; in a pattern their dots must stay dots. */
function literal(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
