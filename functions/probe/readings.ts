import { delayName } from '../topology/names.ts';
import type { QueueModel, Topology } from '../topology/types.ts';
import type { QueueFigures } from './figures.ts';
import type { ParkingMemory, ProbeMemory } from './memory.ts';
import { readParking } from './parking.ts';
import { PROBE_METRICS } from './probe-metrics.ts';

export interface FlowReading {
  readonly flow: string;
  /** Metric values; a figure that is not known is not among them. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Depth by tier, as far as known. */
  readonly waitDepth: Readonly<Record<string, number>>;
}

export interface Readings {
  readonly flows: readonly FlowReading[];
  readonly parking: Readonly<Record<string, ParkingMemory>>;
}

/** Turns the totals of all queues into the metrics of each flow. Pure; the clock is handed in. */
export function readFlows(
  topology: Topology,
  figures: ReadonlyMap<string, QueueFigures>,
  memory: ProbeMemory,
  nowMs: number,
): Readings {
  const parkingMemory: Record<string, ParkingMemory> = {};
  const names = [...new Set(topology.queues.map(({ flow }) => flow))];
  const flows = names.map((flow) => {
    const queues = topology.queues.filter((queue) => queue.flow === flow);
    const of = (role: QueueModel['role']) =>
      queues.filter((queue) => queue.role === role).map(({ name }) => figures.get(name));
    const waits = [...of('wait'), ...of('isolated-wait')];
    const parking = readParking(of('parked')[0], memory.parking[flow], nowMs, memory.seenAtMs);
    if (parking.memory !== undefined) parkingMemory[flow] = parking.memory;
    return {
      flow,
      metrics: known({
        [PROBE_METRICS.parkedDepth]: parking.depth,
        [PROBE_METRICS.parkedAge]: parking.ageSeconds,
        [PROBE_METRICS.deadLettered]: parking.deadLettered,
        [PROBE_METRICS.workDepth]: of('work')[0]?.messages,
        [PROBE_METRICS.isolatedDepth]: of('isolated')[0]?.messages,
        [PROBE_METRICS.waitDepth]: total(waits.map((queue) => queue?.messages)),
        [PROBE_METRICS.waitStuck]: total(waits.map((queue) => queue?.deadLettering)),
        [PROBE_METRICS.unreadQueues]: total(
          [...of('work'), ...of('isolated')].map((queue) =>
            queue?.consumers === undefined ? undefined : Number(queue.consumers === 0),
          ),
        ),
      }),
      waitDepth: known(
        Object.fromEntries(
          queues
            .filter(({ role, delayMs }) => role === 'wait' && delayMs !== undefined)
            .map(({ name, delayMs = 1 }) => [delayName(delayMs), figures.get(name)?.messages]),
        ),
      ),
    };
  });
  return { flows, parking: parkingMemory };
}

/** The sum, unless a part of it is unknown. */
function total(parts: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const part of parts) {
    if (part === undefined) return undefined;
    sum += part;
  }
  return sum;
}

function known(values: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
