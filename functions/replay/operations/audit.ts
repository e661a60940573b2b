import type { ReplayPorts } from '../ports.ts';
import type { RequestReader } from '../requests.ts';
import { flowOf } from './flow-of.ts';
import { ALL_FLOWS, type Flows } from './types.ts';

/** Lines of a flow's audit, newest first; without a flow those that concern all flows. */
export async function audit(ports: ReplayPorts, flows: Flows, request: RequestReader) {
  const flow = request.optionalText('flow') === undefined ? ALL_FLOWS : flowOf(flows, request).name;
  const to = request.optionalMoment('to');
  const run = request.optionalText('run');
  // No line of a run is older than its plan; of the whole audit it is a needle.
  const plan = run === undefined ? undefined : (await ports.store.runs.get(run))?.plan;
  const from = request.optionalMoment('from') ?? plan?.createdAt;
  const skipped = request.optionalBoolean('skipped');
  const limit = request.optionalInteger('limit', 1, 1_000);
  return ports.store.audit.query(flow, {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(run === undefined ? {} : { run }),
    ...(skipped === undefined ? {} : { skipped }),
    ...(limit === undefined ? {} : { limit }),
  });
}
