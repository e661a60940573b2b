import type { Flow } from '../../policy/types.ts';
import { ReplayError } from '../errors.ts';
import { SWITCH_STATES, type SwitchState } from '../guards.ts';
import { PollersError } from '../outside/world.ts';
import { parseBrake, parseOrder, type RequestReader } from '../requests.ts';
import type { AuditEvent } from '../store/audit.ts';
import { flowOf } from './flow-of.ts';
import { ALL_FLOWS, type Caller, type Flows, type OperatorPorts } from './types.ts';

/** Sets the kill switch: of a flow, or of all. */
export async function setSwitch(
  ports: OperatorPorts,
  flows: Flows,
  request: RequestReader,
  { by }: Caller,
) {
  const name = request.optionalText('flow');
  const flow = name === undefined ? undefined : flowOf(flows, request).name;
  const wanted = request.text('state');
  const state = SWITCH_STATES.find((known) => known === wanted);
  if (state === undefined) {
    const list = SWITCH_STATES.join(', ');
    throw new ReplayError('BAD_REQUEST', `state must be one of ${list}, got '${wanted}'.`);
  }
  const { reason } = state === 'off' ? parseBrake(request, by) : parseOrder(request, by);
  await ports.setSwitch(flow, state);
  const event = { kind: 'switched', by, to: state, reason } as const;
  await ports.store.audit.append(flow ?? ALL_FLOWS, undefined, event, ports.now());
  return { flow: flow ?? ALL_FLOWS, state };
}

/** Stops a flow: nothing is read from its queue, nothing replayed to it. */
export function pause(
  ports: OperatorPorts,
  flow: Flow<never>,
  request: RequestReader,
  caller: Caller,
) {
  return turn(ports, flow, parseBrake(request, caller.by), { kind: 'paused', to: 'off' });
}

/** Lets a paused flow go on, automatic replay too. */
export function resume(
  ports: OperatorPorts,
  flow: Flow<never>,
  request: RequestReader,
  caller: Caller,
) {
  return turn(ports, flow, parseOrder(request, caller.by), { kind: 'resumed', to: 'on' });
}

interface Turn {
  readonly kind: 'paused' | 'resumed';
  readonly to: SwitchState;
}

async function turn(
  ports: OperatorPorts,
  flow: Flow<never>,
  { by, reason }: { readonly by: string; readonly reason: string },
  { kind, to }: Turn,
) {
  const enabled = kind === 'resumed';
  const nowMs = ports.now();
  const note = (event: AuditEvent) => ports.store.audit.append(flow.name, undefined, event, nowMs);
  // Each deed is noted as soon as it is done: the next one may fail.
  const turnSwitch = async () => {
    await ports.setSwitch(flow.name, to);
    await note({ kind: 'switched', by, to, reason });
  };
  // Stopping, replay goes first, so that nothing comes to a queue nobody reads; starting, it goes last.
  if (!enabled) await turnSwitch();
  const pollers = await ports.setPollers(flow.name, enabled).catch(async (cause: unknown) => {
    const states = cause instanceof PollersError ? cause.states : [];
    await note({ kind, by, pollers: states, reason: `${reason} (not whole: ${cause})` });
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new ReplayError('POLLERS', `${text}. Ask again; status shows them.`, { cause });
  });
  await note({ kind, by, pollers, reason });
  if (enabled) await turnSwitch();
  return { flow: flow.name, pollers, switch: to };
}
