import type { Management } from '../broker/management.ts';
import { segment } from '../broker/management.ts';
import { emf, METRICS } from '../consumer/metrics.ts';
import type { Topology } from '../topology/types.ts';
import { COLUMNS, readFigures } from './figures.ts';
import { mappingLines, mappingMetrics } from './mapping-readings.ts';
import type { MappingStates } from './mapping-states.ts';
import type { ProbeMemory } from './memory.ts';
import { PROBE_METRICS, PROBE_RUNS } from './probe-metrics.ts';
import { type FlowReading, readFlows } from './readings.ts';
import { readRetired } from './retired-tiers.ts';

export interface ProbeInput {
  readonly management: Management;
  readonly topology: Topology;
  readonly vhost: string;
  readonly environment: string;
  readonly memory: ProbeMemory;
  /** What Lambda said of the mappings; a flow without any has no such figures. */
  readonly mappings: MappingStates;
  readonly nowMs: number;
  /** Whether wait queues nobody names any more may be deleted. */
  readonly removeTiers: boolean;
}

export interface ProbeResult {
  /** Lines to print: what needs a word, and the metrics. */
  readonly lines: readonly string[];
  readonly memory: ProbeMemory;
}

/** Counters of the flows' functions, printed as 0 so that graphs and alarms have no gaps. */
export const ZEROS = [
  METRICS.handled,
  METRICS.done,
  METRICS.retried,
  METRICS.parked,
  METRICS.discarded,
  METRICS.deferred,
  METRICS.duplicates,
  METRICS.isolated,
  METRICS.settleFailures,
  METRICS.redelivered,
] as const;

/**
 * One look at the broker: totals through the management API, which disturbs no message.
 * @throws ManagementError when the broker is slow or dead: no metric is printed then, and the
 * silence is what wakes someone.
 */
export async function runProbe(input: ProbeInput): Promise<ProbeResult> {
  const { management, topology, vhost, memory, mappings, nowMs } = input;
  const figures = readFigures(await management.get(`queues/${segment(vhost)}?columns=${COLUMNS}`));
  const { flows: seen, parking } = readFlows(topology, figures, memory, nowMs);
  const flows = seen.map((reading) => ({
    ...reading,
    metrics: { ...reading.metrics, ...mappingMetrics(mappings[reading.flow]) },
  }));
  const retired = input.removeTiers
    ? readRetired(topology, figures, memory.retired, nowMs)
    : { remove: [], memory: {} };
  const removed: string[] = [];
  for (const queue of retired.remove) {
    await management.delete(`queues/${segment(vhost)}/${segment(queue)}`);
    removed.push(JSON.stringify({ message: 'retired tier removed', queue }));
  }
  return {
    lines: [...removed, ...mappingLines(mappings), ...probeLines(input.environment, flows, nowMs)],
    memory: { seenAtMs: nowMs, parking, retired: retired.memory },
  };
}

/** The metrics as lines of the embedded metric format; the run itself is the last. */
export function probeLines(
  environment: string,
  flows: readonly FlowReading[],
  nowMs: number,
): readonly string[] {
  const zeros = Object.fromEntries(ZEROS.map((name) => [name, 0]));
  return [
    ...flows.flatMap(({ flow, metrics, waitDepth }) => [
      emf(nowMs, { environment, flow }, { ...metrics, ...zeros }),
      ...Object.entries(waitDepth).map(([tier, depth]) =>
        emf(nowMs, { environment, flow, tier }, { [PROBE_METRICS.waitDepth]: depth }),
      ),
    ]),
    emf(nowMs, { environment }, { [PROBE_RUNS]: 1 }),
  ];
}
