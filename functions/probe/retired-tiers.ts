import type { Topology } from '../topology/types.ts';
import type { QueueFigures } from './figures.ts';
import type { RetiredMemory } from './memory.ts';

/**
 * A tier is left alone this long after the last deployment that named it: older versions of the
 * function may still run, be rolled back to, and publish there.
 */
export const RETIREMENT_MS = 24 * 3_600_000;
const EMPTY_RUNS = 2;

export interface RetiredReading {
  /** Wait queues to delete now. */
  readonly remove: readonly string[];
  readonly memory: Readonly<Record<string, RetiredMemory>>;
}

/**
 * Which wait queues may be removed: tiers of a known work queue that no deployed flow names any
 * more, for a day, and whose total the management API has shown as 0 twice in a row. An unknown
 * total is not 0.
 */
export function readRetired(
  topology: Topology,
  figures: ReadonlyMap<string, QueueFigures>,
  before: Readonly<Record<string, RetiredMemory>>,
  nowMs: number,
): RetiredReading {
  const named = new Set(topology.queues.map(({ name }) => name));
  const work = topology.queues.filter(({ role }) => role === 'work').map(({ name }) => name);
  const remove: string[] = [];
  const memory: Record<string, RetiredMemory> = {};
  for (const [name, { messages }] of figures) {
    if (named.has(name) || !work.some((queue) => isTierOf(queue, name))) continue;
    const known = before[name];
    const sinceMs = known?.sinceMs ?? nowMs;
    const emptyRuns = messages === 0 ? (known?.emptyRuns ?? 0) + 1 : 0;
    if (emptyRuns >= EMPTY_RUNS && nowMs - sinceMs >= RETIREMENT_MS) remove.push(name);
    else memory[name] = { sinceMs, emptyRuns };
  }
  return { remove, memory };
}

function isTierOf(queue: string, name: string): boolean {
  return (
    name.startsWith(`${queue}.wait.`) &&
    /^[0-9]+(ms|[smhd])$/.test(name.slice(queue.length + '.wait.'.length))
  );
}
