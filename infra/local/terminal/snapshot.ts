import type { Flow } from '../../../functions/policy/types.ts';
import { delayName } from '../../../functions/topology/names.ts';
import type { QueueModel, QueueRole, Topology } from '../../../functions/topology/types.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { FlowRunner } from '../flow-runner.ts';

export interface FlowSnapshot {
  readonly name: string;
  /** Ready in the work queue. */
  readonly ready: number;
  /** Held by the pollers: being worked on, or next. */
  readonly held: number;
  /** Waiting per tier, named by the delay the flow states, not by the scaled one. */
  readonly tiers: readonly { readonly delay: string; readonly messages: number }[];
  /** In isolation, its waits included. */
  readonly isolated: number;
  readonly parked: number;
  /** Handler runs by attempt. */
  readonly handlerRuns: ReadonlyMap<number, number>;
}

export interface DownstreamSnapshot {
  readonly name: string;
  readonly accepted: number;
  /** By HTTP status; 0 is a connection cut without an answer. */
  readonly refusals: ReadonlyMap<number, number>;
}

/** One moment of a run, as the progress display shows it. */
export interface Snapshot {
  readonly elapsedMs: number;
  readonly published: number;
  /** Messages automatic replay has put back. */
  readonly replayed: number;
  readonly flows: readonly FlowSnapshot[];
  readonly downstreams: readonly DownstreamSnapshot[];
}

/** A flow's figures out of the counts of its queues. */
export function flowSnapshot(
  { flow, runner, topology }: { flow: Flow; runner: FlowRunner; topology: Topology },
  messagesIn: (queue: string) => number,
): FlowSnapshot {
  const queues = topology.queues.filter((queue) => queue.flow === flow.name);
  const sum = (chosen: readonly QueueModel[]): number =>
    chosen.reduce((total, { name }) => total + messagesIn(name), 0);
  const withRole = (...roles: readonly QueueRole[]): readonly QueueModel[] =>
    queues.filter(({ role }) => roles.includes(role));
  const scaledDelays = runner.flow.schedule.delaysMs;
  // A lane waits a little longer than its tier, and never as long as the next.
  const tierOf = ({ delayMs = 0 }: QueueModel): number =>
    scaledDelays.findLastIndex((tierMs) => tierMs <= delayMs);
  return {
    name: flow.name,
    ready: sum(withRole('work')),
    held: runner.state.held,
    tiers: flow.schedule.delaysMs.map((delayMs, tier) => ({
      delay: delayName(delayMs),
      messages: sum(withRole('wait').filter((queue) => tierOf(queue) === tier)),
    })),
    isolated: sum(withRole('isolated', 'isolated-wait')),
    parked: sum(withRole('parked')),
    handlerRuns: runner.logBook.handlerRuns,
  };
}

export function downstreamSnapshot({ name, ledger }: Downstream): DownstreamSnapshot {
  return { name, accepted: ledger.accepted, refusals: ledger.refusals() };
}
