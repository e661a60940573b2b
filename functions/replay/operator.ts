import { ReplayError } from './errors.ts';
import { audit } from './operations/audit.ts';
import { pause, resume, setSwitch } from './operations/configure.ts';
import { flowOf } from './operations/flow-of.ts';
import { body, parked, show } from './operations/look.ts';
import { cancel, goOn, plan, run } from './operations/run.ts';
import { status } from './operations/status.ts';
import {
  type Caller,
  type Flows,
  OPERATIONS,
  type OperatorPorts,
  type Permission,
} from './operations/types.ts';
import { watch } from './operations/watch.ts';
import type { RequestReader } from './requests.ts';

export {
  type Caller,
  OPERATIONS,
  type Operation,
  type OperatorPorts,
  type Permission,
} from './operations/types.ts';

/**
 * Answers one request of a person, as plain data.
 * @throws ReplayError `FORBIDDEN` for an operation of another permission, `BAD_REQUEST`, `FLOW_UNKNOWN`,
 * `MESSAGE_UNKNOWN`, and all of the engine's
 */
export async function operate(
  ports: OperatorPorts,
  flows: Flows,
  permission: Permission,
  request: RequestReader,
  caller: Caller,
): Promise<unknown> {
  const operation = request.text('operation');
  if (!OPERATIONS[permission].some((allowed) => allowed === operation)) {
    const list = OPERATIONS[permission].join(', ');
    throw new ReplayError(
      'FORBIDDEN',
      `'${operation}' is not done here; this function does: ${list}.`,
    );
  }
  switch (operation) {
    case 'status':
      return status(ports, flows, request);
    case 'parked':
      return parked(ports, flowOf(flows, request));
    case 'show':
      return show(ports, flowOf(flows, request), request.text('messageId'));
    case 'body':
      return body(ports, flowOf(flows, request), request.text('messageId'));
    case 'watch':
      return watch(ports, request);
    case 'audit':
      return audit(ports, flows, request);
    case 'plan':
      return plan(ports, flowOf(flows, request), request, caller);
    case 'run':
      return run(ports, flows, request, caller);
    case 'continue':
      return goOn(ports, flows, request, caller);
    case 'cancel':
      return cancel(ports, flows, request, caller);
    case 'switch':
      return setSwitch(ports, flows, request, caller);
    case 'pause':
      return pause(ports, flowOf(flows, request), request, caller);
    case 'resume':
      return resume(ports, flowOf(flows, request), request, caller);
    default:
      throw new ReplayError('BAD_REQUEST', `There is no operation '${operation}'.`);
  }
}
