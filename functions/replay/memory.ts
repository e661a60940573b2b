import type { Flow } from '../policy/types.ts';
import { reading } from './guards.ts';
import type { Memory } from './message-guards.ts';
import type { ReplayPorts } from './ports.ts';

/** An original that was left is met by the next look at the queue, or long before this. */
const LATELY_MS = 3 * 86_400_000;
const MAX_RUNS = 20;

/**
 * What earlier runs left behind. A doubt ends when nobody can still be working on a copy: no message
 * of a flow is under way for longer than `maxElapsed`, so a copy without an outcome by then never was.
 */
export async function loadMemory(ports: ReplayPorts, flow: Flow<never>): Promise<Memory> {
  const { relapses, doubts, outcomes } = ports.store;
  const settledBeforeMs = ports.now() - flow.schedule.maxElapsedMs;
  const inDoubt = async () => {
    const known = new Map<string, string>();
    for (const [fingerprint, { run, messageId, atMs }] of await doubts.load(flow.name)) {
      const isOpen = atMs > settledBeforeMs || (await outcomes.seen(run, messageId));
      if (isOpen) known.set(fingerprint, run);
    }
    return known;
  };
  const [relapsed, doubted, moved] = await Promise.all([
    reading(() => relapses.load(flow.name)),
    reading(inDoubt),
    reading(() => movedByOthers(ports, flow.name)),
  ]);
  return { relapses: relapsed, doubts: doubted, moved };
}

/**
 * Fingerprints of messages that lately were moved, with the run that did it: the acknowledgement of
 * an original is not confirmed by the broker, so one may be there still although its copy is out.
 */
export async function movedByOthers(
  { store, now }: Pick<ReplayPorts, 'store' | 'now'>,
  flow: string,
  run?: string,
): Promise<ReadonlyMap<string, string>> {
  const sinceMs = now() - LATELY_MS;
  const runs = (await store.runs.list(flow, MAX_RUNS)).filter(
    ({ id, startedAt, plan }) =>
      id !== run && plan.action === 'replay' && (startedAt?.getTime() ?? 0) >= sinceMs,
  );
  const lists = await Promise.all(
    runs.map(async ({ id }) => ({ id, moved: await store.moves.confirmed(id) })),
  );
  return new Map(lists.flatMap(({ id, moved }) => moved.map((fingerprint) => [fingerprint, id])));
}
