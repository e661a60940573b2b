import type { Flow } from '../../../../functions/policy/types.ts';
import type { OperatorPorts } from '../../../../functions/replay/operator.ts';
import type { PollerState } from '../../../../functions/replay/outside/world.ts';
import type { ReplayStore } from '../../../../functions/replay/store/replay-store.ts';
import { OperatorFunctions, type Person } from '../../../helpers/operator-functions.ts';
import type { ReplayTables } from '../../../helpers/replay-tables.ts';
import { parkedCopy, ReplayWorld, replayFlow } from '../../../helpers/replay-world.ts';

/** A deployed environment in memory: the real handlers and engine, a broker's model, AWS on loopback. */
export interface OperatorWorld {
  readonly flow: Flow<never>;
  readonly world: ReplayWorld;
  readonly store: ReplayStore;
  readonly functions: OperatorFunctions;
  totals: Record<string, number>;
}

let sequence = 0;

export async function operatorWorld(
  tables: ReplayTables,
  { environment = 'dev', people }: { environment?: string; people?: readonly Person[] } = {},
): Promise<OperatorWorld> {
  const flow = replayFlow(`on-call-${++sequence}`);
  const world = new ReplayWorld();
  const store = tables.openStore();
  world.nowMs = Date.now();
  const parkedAt = new Date(world.nowMs - 3_600_000).toISOString();
  world.parked = [0, 1, 2].map((n) =>
    parkedCopy(n, {
      'x-failure-last-at': parkedAt,
      ...(n === 2 ? { 'x-failure-class': 'invalid', 'x-failure-signature': 'bad-total' } : {}),
    }),
  );
  let pollers: readonly PollerState[] = [{ id: 'mapping-1', state: 'Enabled' }];
  const opened: OperatorWorld = {
    flow,
    world,
    store,
    totals: { orders: 4, 'orders.wait.10s': 2, 'orders.parked': 3 },
    functions: await OperatorFunctions.start(
      [flow],
      (): OperatorPorts => ({
        ...world.ports(store),
        environment,
        setSwitch: async (_flow, state) => {
          world.switchState = state;
        },
        pollers: async () => pollers,
        setPollers: async (_flow, enabled) => {
          pollers = pollers.map(({ id }) => ({ id, state: enabled ? 'Enabled' : 'Disabling' }));
          return pollers;
        },
        queueTotal: async (queue) => {
          const total = opened.totals[queue];
          if (total === undefined) throw new Error(`no total for ${queue}`);
          return total;
        },
        parkedSince: async () => new Date(world.nowMs - 2 * 3_600_000),
        metric: () => undefined,
      }),
      people,
    ),
  };
  return opened;
}
