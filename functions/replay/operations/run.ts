import type { Flow } from '../../policy/types.ts';
import { ReplayError } from '../errors.ts';
import type { RunEnd } from '../execute.ts';
import { parseFilter } from '../filter.ts';
import { makePlan } from '../plan.ts';
import type { ReplayPorts } from '../ports.ts';
import { parseOptions, parseOrder, parsePace, type RequestReader } from '../requests.ts';
import { cancelRun, startRun } from '../start.ts';
import type { Run } from '../types.ts';
import { workOn } from '../work-on.ts';
import type { Caller, Flows, OperatorPorts } from './types.ts';

/** A request works on a run for this long, unless it says otherwise; the schedule goes on with it. */
const RUN_PATIENCE_MS = 20_000;
const MAX_PATIENCE_MS = 600_000;
/** What it takes to see that a run is cancelled, and to write down what is left. */
const CANCEL_PATIENCE_MS = 15_000;

/** Looks, and says what a run would do. */
export function plan(
  ports: ReplayPorts,
  flow: Flow<never>,
  request: RequestReader,
  { by }: Caller,
) {
  const action = request.optionalText('action') ?? 'replay';
  if (action !== 'replay' && action !== 'discard') {
    throw new ReplayError('BAD_REQUEST', `action must be replay or discard, got '${action}'.`);
  }
  const filter = parseFilter(request.raw('filter'));
  return makePlan(ports, flow, { action, by, filter, options: parseOptions(request) });
}

/** Starts a plan and works on it; with a patience of 0 it is only started. */
export async function run(
  ports: OperatorPorts,
  flows: Flows,
  request: RequestReader,
  caller: Caller,
): Promise<RunEnd> {
  const id = request.text('plan');
  const flow = flowOfRun(flows, await ports.store.runs.mustGet(id));
  const patienceMs = patienceOf(request);
  const started = await startRun(
    ports,
    flow,
    id,
    parseOrder(request, caller.by),
    parsePace(request),
  );
  if (patienceMs === 0) return { kind: 'to-be-continued', run: started, why: 'only started' };
  return work(ports, flow, id, caller, patienceMs);
}

/** Works on a run that was started, as the schedule does. */
export async function goOn(
  ports: OperatorPorts,
  flows: Flows,
  request: RequestReader,
  caller: Caller,
): Promise<RunEnd> {
  const id = request.text('run');
  const patienceMs = patienceOf(request);
  const flow = flowOfRun(flows, await ports.store.runs.mustGet(id));
  return work(ports, flow, id, caller, patienceMs);
}

/**
 * Asks a run to stop, and stops it when nobody is working on it: it would hold its flow for good where no
 * schedule goes on with it.
 */
export async function cancel(
  ports: OperatorPorts,
  flows: Flows,
  request: RequestReader,
  caller: Caller,
) {
  const id = request.text('run');
  const asked = await cancelRun(ports, id, caller.by);
  const run = asked ? await ports.store.runs.get(id) : undefined;
  const flow = flows.find(({ name }) => name === run?.flow);
  if (run?.state === 'running' && flow !== undefined) {
    // Asked is asked: whoever is at work on it reads that, and so does whoever comes next.
    await work(ports, flow, id, caller, CANCEL_PATIENCE_MS).catch(() => undefined);
  }
  return { asked };
}

function work(
  ports: OperatorPorts,
  flow: Flow<never>,
  id: string,
  { requestId, deadlineAtMs }: Caller,
  patienceMs: number,
): Promise<RunEnd> {
  return workOn(ports, flow, id, {
    worker: requestId,
    deadlineAtMs: Math.min(deadlineAtMs, ports.now() + patienceMs),
  });
}

function patienceOf(request: RequestReader): number {
  return request.optionalInteger('patienceMs', 0, MAX_PATIENCE_MS) ?? RUN_PATIENCE_MS;
}

function flowOfRun(flows: Flows, planned: Run): Flow<never> {
  const flow = flows.find(({ name }) => name === planned.flow);
  if (flow !== undefined) return flow;
  throw new ReplayError(
    'WRONG_FLOW',
    `Plan ${planned.id} is for flow ${planned.flow}, which is not deployed.`,
  );
}
