import type { Topology } from '../functions/topology/types.ts';
import { flowPermissions, type Permissions, sharedPermissions } from './broker-permissions.ts';

/** What RabbitMQ's definitions import takes, as far as it is used here. */
export interface DefinitionsFile {
  readonly vhosts: readonly { readonly name: string }[];
  readonly exchanges: readonly object[];
  readonly queues: readonly object[];
  readonly bindings: readonly object[];
  readonly permissions: readonly object[];
}

/**
 * Everything the flows need of a broker whose owner applies it: exchanges, queues, bindings, and the
 * permissions of each function's user. Users themselves are not in it, since it would carry their
 * passwords; nor are queues that belong to someone else. Importing it twice changes nothing, and it
 * deletes nothing.
 * @param usernames The user of each flow by its name, and the shared ones (`SHARED_USERS`).
 */
export function definitionsFile(
  topology: Topology,
  vhost: string,
  usernames: Readonly<Record<string, string>>,
): DefinitionsFile {
  const shared: Readonly<Record<string, Permissions>> = sharedPermissions(topology, false);
  const own = topology.queues.filter(({ declare }) => declare);
  const permission = (user: string, { configure, write, read }: Permissions) => ({
    user,
    vhost,
    configure,
    write,
    read,
  });
  return {
    vhosts: [{ name: vhost }],
    exchanges: topology.exchanges.map(({ name, type }) => ({
      name,
      vhost,
      type,
      durable: true,
      auto_delete: false,
      internal: false,
      arguments: {},
    })),
    queues: own.map(({ name, arguments: table }) => ({
      name,
      vhost,
      type: 'quorum',
      durable: true,
      auto_delete: false,
      arguments: table,
    })),
    bindings: topology.bindings.map(({ queue, exchange, routingKey, arguments: table }) => ({
      source: exchange,
      vhost,
      destination: queue,
      destination_type: 'queue',
      routing_key: routingKey,
      arguments: table,
    })),
    permissions: Object.entries(usernames).map(([name, user]) =>
      permission(user, shared[name] ?? flowPermissions(topology, name)),
    ),
  };
}
