import type { Flow } from '../../policy/types.ts';
import type { ReplayPorts } from '../ports.ts';
import type { RequestReader } from '../requests.ts';

/** Lines of a flow's audit, newest first. */
export function audit(ports: ReplayPorts, flow: Flow<never>, request: RequestReader) {
  const from = request.optionalMoment('from');
  const to = request.optionalMoment('to');
  const run = request.optionalText('run');
  const limit = request.optionalInteger('limit', 1, 1_000);
  return ports.store.audit.query(flow.name, {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(run === undefined ? {} : { run }),
    ...(limit === undefined ? {} : { limit }),
  });
}
