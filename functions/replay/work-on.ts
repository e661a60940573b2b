import type { Flow } from '../policy/types.ts';
import { type ExecuteOptions, executeRun, type RunEnd } from './execute.ts';
import { runLine } from './metrics.ts';
import type { ReplayPorts } from './ports.ts';

export interface CountingPorts extends ReplayPorts {
  /** Prints a line of the embedded metric format. */
  readonly metric: (line: string) => void;
}

/**
 * Works on a run, see {@link executeRun}, and counts it when this worker was the one that ended it: one that
 * was over already has been counted.
 */
export async function workOn(
  ports: CountingPorts,
  flow: Flow<never>,
  id: string,
  options: ExecuteOptions,
): Promise<RunEnd> {
  const before = await ports.store.runs.mustGet(id);
  const end = await executeRun(ports, flow, id, options);
  if (end.kind === 'ended' && before.state === 'running') {
    ports.metric(runLine(ports.environment, end.run, ports.now()));
  }
  return end;
}
