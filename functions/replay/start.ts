import type { Flow } from '../policy/types.ts';
import { ReplayError } from './errors.ts';
import { killSwitch, reading } from './guards.ts';
import type { ReplayPorts } from './ports.ts';
import type { Order, Pace, Run } from './types.ts';

/**
 * Starts a plan: once, with who and why. Moves nothing yet; `executeRun` does.
 * @param pace replaces what the plan says of rate and ramp
 * @throws ReplayError `PLAN_UNKNOWN`, `WRONG_ENVIRONMENT`, `WRONG_FLOW`, `SWITCHED_OFF`, `PLAN_USED`,
 * `PLAN_EXPIRED`, `RUN_ACTIVE`
 */
export async function startRun(
  ports: ReplayPorts,
  flow: Pick<Flow<never>, 'name'>,
  id: string,
  order: Order,
  pace: Pace = {},
): Promise<Run> {
  const planned = await ports.store.runs.mustGet(id);
  refuseForeign(planned, ports.environment, flow.name);
  if (order.reason.trim() === '') {
    throw new ReplayError('BAD_REQUEST', 'A run needs a reason; say why these messages move.');
  }
  const answer = killSwitch(await reading(() => ports.killSwitch(flow.name)), planned.plan.mode);
  if (!answer.holds) {
    const text = `Flow ${flow.name}: ${answer.because}. The stricter of its own switch and the one of all flows counts.`;
    throw new ReplayError('SWITCHED_OFF', text);
  }
  const run = await ports.store.runs.start(id, order, ports.now(), pace);
  const { action, filter, selected, digest, options } = run.plan;
  await ports.store.audit.append(
    flow.name,
    id,
    { kind: 'started', action, order, filter, options, selected, digest },
    ports.now(),
  );
  return run;
}

/** @throws ReplayError `WRONG_ENVIRONMENT`, `WRONG_FLOW` */
export function refuseForeign(run: Run, environment: string, flow: string): void {
  if (run.plan.environment !== environment) {
    throw new ReplayError(
      'WRONG_ENVIRONMENT',
      `Plan ${run.id} was made in ${run.plan.environment}, this is ${environment}.`,
    );
  }
  if (run.flow !== flow) {
    throw new ReplayError('WRONG_FLOW', `Plan ${run.id} is for flow ${run.flow}, not ${flow}.`);
  }
}

/** Asks a run to stop; what was moved stays moved. False when it is over already. */
export async function cancelRun(ports: ReplayPorts, id: string, by: string): Promise<boolean> {
  const run = await ports.store.runs.get(id);
  if (run === undefined) {
    const text = `There is no run ${id} here; 'status' lists the last ones.`;
    throw new ReplayError('PLAN_UNKNOWN', text);
  }
  const asked = await ports.store.runs.cancel(id, by, ports.now());
  if (asked) {
    await ports.store.audit.append(run.flow, id, { kind: 'cancel-asked', by }, ports.now());
  }
  return asked;
}
