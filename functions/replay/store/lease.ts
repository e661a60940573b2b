import { ReplayError } from '../errors.ts';
import { type Item, numberOf, type Table, textOf } from './table.ts';

/** How long a holder is believed to be alive without a sign. */
export const LEASE_MS = 60_000;

/** Who works on a flow's parking queue. `fence` rises with each holder; writes with a lower one are refused. */
export interface Lease {
  readonly flow: string;
  readonly run: string;
  readonly owner: string;
  readonly fence: number;
}

/** The one run of a flow that has been started and has not ended. */
export interface Active {
  readonly run: string;
  readonly by: string;
  readonly sinceMs: number;
  /** Undefined: nobody works on it at the moment. */
  readonly leaseUntilMs: number | undefined;
}

export interface Leases {
  active(flow: string): Promise<Active | undefined>;
  /** Books the flow for a run; false when another run has it. */
  book(flow: string, run: string, by: string, nowMs: number): Promise<boolean>;
  /** Gives the booking back, if it is this run's. */
  unbook(flow: string, run: string): Promise<void>;
  /**
   * Takes the lease of the active run, when nobody else holds it or the holder is silent.
   * @throws ReplayError `LOCK_HELD` while another holder is alive; `LEASE_LOST` when the run is not the flow's active one
   */
  take(flow: string, run: string, owner: string, nowMs: number): Promise<Lease>;
  /** @throws ReplayError `LEASE_LOST` when somebody else has taken it */
  renew(lease: Lease, nowMs: number): Promise<void>;
  /** Lets another worker go on at once. Changes nothing when the lease is no longer ours. */
  giveBack(lease: Lease): Promise<void>;
}

export function createLeases(table: Table): Leases {
  const keyOf = (flow: string) => ({ pk: `flow#${flow}`, sk: 'active' });
  const active = async (flow: string) => activeOf(await table.get(keyOf(flow)));
  return {
    active,

    async book(flow, run, by, nowMs) {
      const booked = await table.update(keyOf(flow), {
        set: { run, by, sinceMs: nowMs },
        condition: 'attribute_not_exists(#run) OR #run = :run',
      });
      return booked !== false;
    },

    async unbook(flow, run) {
      await table.update(keyOf(flow), {
        remove: ['run', 'by', 'sinceMs', 'owner', 'leaseUntilMs'],
        condition: '#run = :run',
        values: { run },
      });
    },

    async take(flow, run, owner, nowMs) {
      const taken = await table.update(keyOf(flow), {
        set: { owner, leaseUntilMs: nowMs + LEASE_MS },
        add: { fence: 1 },
        condition:
          '#run = :run AND (attribute_not_exists(#owner) OR #owner = :owner OR #leaseUntilMs < :now)',
        names: ['run'],
        values: { run, now: nowMs },
      });
      if (taken !== false) return { flow, run, owner, fence: numberOf(taken, 'fence') ?? 0 };
      const holder = await active(flow);
      if (holder?.run !== run) {
        throw new ReplayError('LEASE_LOST', `Run ${run} is not the active run of flow ${flow}.`);
      }
      throw new ReplayError(
        'LOCK_HELD',
        `Run ${run} of flow ${flow} is being worked on (started by ${holder.by}); it can be adopted after ${new Date(holder.leaseUntilMs ?? nowMs).toISOString()}.`,
      );
    },

    async renew({ flow, run, fence }, nowMs) {
      const renewed = await table.update(keyOf(flow), {
        set: { leaseUntilMs: nowMs + LEASE_MS },
        condition: '#run = :run AND #fence = :fence',
        names: ['run', 'fence'],
        values: { run, fence },
      });
      if (renewed === false) throw leaseLost(run);
    },

    async giveBack({ flow, run, fence }) {
      await table.update(keyOf(flow), {
        remove: ['owner', 'leaseUntilMs'],
        condition: '#run = :run AND #fence = :fence',
        names: ['run', 'fence'],
        values: { run, fence },
      });
    },
  };
}

export function leaseLost(run: string): ReplayError {
  return new ReplayError('LEASE_LOST', `Another worker has taken over run ${run}; this one stops.`);
}

function activeOf(item: Item | undefined): Active | undefined {
  const run = textOf(item, 'run');
  if (run === undefined) return undefined;
  return {
    run,
    by: textOf(item, 'by') ?? 'unknown',
    sinceMs: numberOf(item, 'sinceMs') ?? 0,
    leaseUntilMs: numberOf(item, 'leaseUntilMs'),
  };
}
