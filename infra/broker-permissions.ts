import { parkedLockName } from '../functions/topology/names.ts';
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

/**
 * Replay: take the lock of a parking queue (an exclusive queue, so it must be declared), read what is
 * parked, publish to work queues, and ask the management API for totals, which the tag allows.
 */
export function replayPermissions(topology: Topology): Permissions {
  return { ...replayViewPermissions(topology), write: DEFAULT_EXCHANGE };
}

/** Looking at parking: as replay, without publishing anything. */
export function replayViewPermissions(topology: Topology): Permissions {
  const named = (role: string) =>
    topology.queues.filter((queue) => queue.role === role).map(({ name }) => name);
  return {
    tags: ['management'],
    configure: oneOf(named('work').map(parkedLockName)),
    write: NOTHING,
    read: oneOf(named('parked')),
  };
}

/** Users of functions that serve all flows; a flow's own is named after it, and none is named so. */
export const SHARED_USERS = ['probe', 'replay', 'replay-view'] as const;
export type SharedUser = (typeof SHARED_USERS)[number];

export function sharedPermissions(
  topology: Topology,
  removeTiers: boolean,
): Readonly<Record<SharedUser, Permissions>> {
  return {
    probe: probePermissions(topology, removeTiers),
    replay: replayPermissions(topology),
    'replay-view': replayViewPermissions(topology),
  };
}

function oneOf(names: readonly string[]): string {
  return `^(${names.map(literal).join('|')})$`;
}

/** Queue names are data; in a pattern their dots must stay dots. */
function literal(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
