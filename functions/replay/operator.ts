import type { Message } from '../message/types.ts';
import type { Flow } from '../policy/types.ts';
import { ReplayError } from './errors.ts';
import { executeRun } from './execute.ts';
import { parseFilter } from './filter.ts';
import { type GuardName, reading, SWITCH_STATES, type SwitchState } from './guards.ts';
import { loadMemory } from './memory.ts';
import { automaticGuards } from './message-guards.ts';
import { runLine } from './metrics.ts';
import type { PollerState } from './outside/world.ts';
import { makePlan } from './plan.ts';
import type { ReplayPorts } from './ports.ts';
import { parseOptions, parseOrder, type RequestReader } from './requests.ts';
import { cancelRun, startRun } from './start.ts';
import { Summariser } from './summary.ts';
import { survey } from './survey.ts';
import type { ParkedFacts, Summary } from './types.ts';

export interface OperatorPorts extends ReplayPorts {
  readonly setSwitch: (flow: string | undefined, state: SwitchState) => Promise<void>;
  /** The flow's event source mappings. */
  readonly pollers: (flow: string) => Promise<readonly PollerState[]>;
  readonly setPollers: (flow: string, enabled: boolean) => Promise<readonly PollerState[]>;
  readonly metric: (line: string) => void;
}

/** Who asks, and how long there is for an answer. */
export interface Caller {
  readonly by: string;
  readonly requestId: string;
  readonly deadlineAtMs: number;
}

/** What a person may ask, by the permission it takes. Everything else is refused. */
export const OPERATIONS = {
  view: ['status', 'parked', 'show', 'watch', 'audit'],
  /** Bodies are apart: they may hold what headers never do. */
  bodies: ['body'],
  replay: ['plan', 'run', 'cancel'],
  configure: ['switch'],
} as const;
export type Permission = keyof typeof OPERATIONS;

type Flows = readonly Flow<never>[];

/** A run started by a person works this long within the request; the schedule goes on with it. */
const RUN_PATIENCE_MS = 20_000;

/**
 * Answers one request of a person, as plain data.
 * @throws ReplayError `FORBIDDEN` for an operation of another permission, `BAD_REQUEST`, and all of the engine's
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
      return Promise.all(flows.map((flow) => status(ports, flow)));
    case 'parked':
      return parked(ports, flowOf(flows, request));
    case 'show':
      return show(ports, flowOf(flows, request), request.text('messageId'));
    case 'body':
      return body(ports, flowOf(flows, request), request.text('messageId'));
    case 'watch':
      return ports.store.runs.mustGet(request.text('run'));
    case 'audit':
      return audit(ports, flowOf(flows, request), request);
    case 'plan':
      return plan(ports, flowOf(flows, request), request, caller);
    case 'run':
      return run(ports, flows, request, caller);
    case 'cancel':
      return { asked: await cancelRun(ports, request.text('run'), caller.by) };
    case 'switch':
      return setSwitch(ports, flows, request, caller);
    default:
      throw new ReplayError('BAD_REQUEST', `There is no operation '${operation}'.`);
  }
}

/** What the engine knows without opening parking. */
async function status(ports: ReplayPorts, flow: Flow<never>) {
  const [active, runs, switchState, budgetUsed] = await Promise.all([
    ports.store.leases.active(flow.name),
    ports.store.runs.list(flow.name, 5),
    reading(() => ports.killSwitch(flow.name)),
    ports.store.budget.used(flow.name, ports.now()),
  ]);
  return {
    flow: flow.name,
    queue: flow.queue,
    automatic: flow.replay.automatic,
    switch: switchState.kind === 'read' ? switchState.value : `unreadable: ${switchState.why}`,
    active,
    budget: { used: budgetUsed, hourly: flow.replay.hourlyBudget },
    runs: runs.map(({ id, state, why, startedAt, endedAt, counters, order }) => ({
      id,
      state,
      why,
      startedAt,
      endedAt,
      counters,
      by: order?.by,
      reason: order?.reason,
    })),
  };
}

async function parked(ports: ReplayPorts, flow: Flow<never>) {
  const nowMs = ports.now();
  const memory = await loadMemory(ports, flow);
  const summariser = new Summariser(nowMs);
  const { depth, scanned } = await survey(ports, flow, (facts) => {
    summariser.add(facts, false, automaticGuards(facts, flow.replay, memory, nowMs));
    return 'more';
  });
  const summary: Summary = summariser.summary();
  return { flow: flow.name, window: { depth, scanned, complete: scanned >= depth }, ...summary };
}

async function show(ports: ReplayPorts, flow: Flow<never>, messageId: string) {
  const { facts, message } = await find(ports, flow, messageId);
  const memory = await loadMemory(ports, flow);
  const automatic = automaticGuards(facts, flow.replay, memory, ports.now());
  const { body: content, ...rest } = message;
  const guard: GuardName | undefined = automatic.holds ? undefined : automatic.guard;
  return {
    facts,
    message: { ...rest, bytes: content.length },
    automatic: {
      taken: automatic.holds,
      guard,
      why: automatic.holds ? undefined : automatic.because,
    },
  };
}

async function body(ports: ReplayPorts, flow: Flow<never>, messageId: string) {
  const { message } = await find(ports, flow, messageId);
  return {
    messageId,
    contentType: message.properties.contentType,
    base64: message.body.toString('base64'),
  };
}

async function find(
  ports: ReplayPorts,
  flow: Flow<never>,
  messageId: string,
): Promise<{ readonly facts: ParkedFacts; readonly message: Message }> {
  const found: { facts: ParkedFacts; message: Message }[] = [];
  const { scanned } = await survey(ports, flow, (facts, message) => {
    if (facts.messageId !== messageId) return 'more';
    found.push({ facts, message });
    return 'enough';
  });
  const [first] = found;
  if (first !== undefined) return first;
  throw new ReplayError(
    'BAD_REQUEST',
    `No message '${messageId}' among the ${scanned} parked of flow ${flow.name}.`,
  );
}

async function audit(ports: ReplayPorts, flow: Flow<never>, request: RequestReader) {
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

async function plan(ports: ReplayPorts, flow: Flow<never>, request: RequestReader, caller: Caller) {
  const action = request.optionalText('action') ?? 'replay';
  if (action !== 'replay' && action !== 'discard') {
    throw new ReplayError('BAD_REQUEST', `action must be replay or discard, got '${action}'.`);
  }
  const filter = parseFilter(request.raw('filter'));
  return makePlan(ports, flow, { action, by: caller.by, filter, options: parseOptions(request) });
}

async function run(ports: OperatorPorts, flows: Flows, request: RequestReader, caller: Caller) {
  const id = request.text('plan');
  const planned = await ports.store.runs.mustGet(id);
  const flow = flows.find(({ name }) => name === planned.flow);
  if (flow === undefined) {
    throw new ReplayError(
      'WRONG_FLOW',
      `Plan ${id} is for flow ${planned.flow}, which is not deployed.`,
    );
  }
  await startRun(ports, flow, id, parseOrder(request, caller.by));
  const deadlineAtMs = Math.min(caller.deadlineAtMs, ports.now() + RUN_PATIENCE_MS);
  const end = await executeRun(ports, flow, id, { worker: caller.requestId, deadlineAtMs });
  if (end.kind === 'ended') ports.metric(runLine(ports.environment, end.run, ports.now()));
  return end;
}

async function setSwitch(
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
  const { reason } = parseOrder(request, by);
  await ports.setSwitch(flow, state);
  const event = { kind: 'switched', by, to: state, reason } as const;
  await ports.store.audit.append(flow ?? '(all)', undefined, event, ports.now());
  return { flow: flow ?? '(all)', state };
}

function flowOf(flows: Flows, request: RequestReader): Flow<never> {
  const name = request.text('flow');
  const flow = flows.find((candidate) => candidate.name === name);
  if (flow !== undefined) return flow;
  const known = flows.map((candidate) => candidate.name).join(', ');
  throw new ReplayError('BAD_REQUEST', `There is no flow '${name}'; there are: ${known}.`);
}
