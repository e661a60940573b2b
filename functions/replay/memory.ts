import type { Flow } from '../policy/types.ts';
import { reading } from './guards.ts';
import type { Memory } from './message-guards.ts';
import type { ReplayPorts } from './ports.ts';

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
  const [relapsed, doubted] = await Promise.all([
    reading(() => relapses.load(flow.name)),
    reading(inDoubt),
  ]);
  return { relapses: relapsed, doubts: doubted };
}
