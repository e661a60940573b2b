import type { Flow } from '../policy/types.ts';
import { type Decision, decide, type Readings } from './automatic.ts';
import { ReplayError } from './errors.ts';
import type { RunEnd } from './execute.ts';
import type { GuardName } from './guards.ts';
import { observedLine, skippedLines, tickLine } from './metrics.ts';
import { planAutomatic } from './plan-automatic.ts';
import { startRun } from './start.ts';
import type { AuditEvent } from './store/audit.ts';
import { type CountingPorts, workOn } from './work-on.ts';

export interface TickPorts extends CountingPorts {
  /** Reads the world for a flow; a reading that fails is `unreadable`, never a rejection. */
  readonly readings: (flow: Flow<never>, alarmNames: readonly string[]) => Promise<Readings>;
}

export interface TickOptions {
  readonly worker: string;
  readonly deadlineAtMs: number;
  readonly observe: boolean;
  /** Layover's own alarms that must be quiet besides those the flow names. */
  readonly ownAlarms: readonly string[];
}

export type TickEnd =
  | { readonly kind: 'idle'; readonly why: string }
  | { readonly kind: 'skipped' | 'observed'; readonly selected: number }
  | { readonly kind: 'ran'; readonly end: RunEnd }
  /** Another worker is at it. */
  | { readonly kind: 'busy'; readonly why: string };

/**
 * One look of the schedule at one flow: goes on with a run that is under way, whoever started it; else
 * replays what every guard lets through.
 */
export async function tick(
  ports: TickPorts,
  flow: Flow<never>,
  options: TickOptions,
): Promise<TickEnd> {
  const where = { environment: ports.environment, flow: flow.name };
  const alarmNames = [...flow.replay.quietAlarms, ...options.ownAlarms];
  const readings = await ports.readings(flow, alarmNames);
  const { switchState } = readings;
  const works = switchState.kind === 'read' && ['on', 'observe'].includes(switchState.value);
  ports.metric(tickLine(where, !works, ports.now()));

  const active = await ports.store.leases.active(flow.name);
  if (active !== undefined) return goOn(ports, flow, active.run, options);

  const availableMs = Math.max(0, options.deadlineAtMs - ports.now());
  const decision = decide({
    settings: flow.replay,
    readings,
    alarmNames,
    observe: options.observe,
    availableMs,
  });
  switch (decision.kind) {
    case 'idle':
      return decision;
    case 'skip':
      return skip(ports, flow, decision);
    case 'look':
    case 'observe':
      return look(ports, flow, decision, options);
  }
}

async function goOn(
  ports: TickPorts,
  flow: Flow<never>,
  run: string,
  options: TickOptions,
): Promise<TickEnd> {
  try {
    return { kind: 'ran', end: await workOn(ports, flow, run, options) };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    // Lost to another worker on this very run, it goes on there; lost to another run, it is over.
    if (error.code === 'LEASE_LOST' && !(await isActive(ports, flow, run))) {
      await ports.store.runs.abandon(run, 'another run has taken its place', ports.now());
    }
    if (error.code !== 'LOCK_HELD' && error.code !== 'LEASE_LOST') throw error;
    return { kind: 'busy', why: error.message };
  }
}

async function isActive(ports: TickPorts, flow: Flow<never>, run: string): Promise<boolean> {
  return (await ports.store.leases.active(flow.name))?.run === run;
}

async function skip(
  ports: TickPorts,
  flow: Flow<never>,
  { refusals }: Extract<Decision, { kind: 'skip' }>,
): Promise<TickEnd> {
  const because: Partial<Record<GuardName, number>> = {};
  for (const { guard } of refusals) because[guard] = 1;
  const detail = refusals.map(({ guard, because: why }) => `${guard}: ${why}`).join('; ');
  await note(ports, flow, { kind: 'skipped', because, detail, selected: 0 });
  return { kind: 'skipped', selected: 0 };
}

async function look(
  ports: TickPorts,
  flow: Flow<never>,
  { kind, limit, limitedBy }: Extract<Decision, { limit: number }>,
  options: TickOptions,
): Promise<TickEnd> {
  const save = kind === 'look';
  try {
    const { plan, selected, refused } = await planAutomatic(ports, flow, {
      limit,
      limitedBy,
      save,
    });
    if (kind === 'observe') {
      const detail = 'observing: nothing is moved';
      await note(ports, flow, { kind: 'observed', because: refused, detail, selected });
      ports.metric(
        observedLine({ environment: ports.environment, flow: flow.name }, selected, ports.now()),
      );
      return { kind: 'observed', selected };
    }
    if (Object.keys(refused).length > 0) {
      const detail = `${selected} messages passed every guard`;
      await note(ports, flow, { kind: 'skipped', because: refused, detail, selected });
    }
    if (plan === undefined) return { kind: 'skipped', selected };
    await startRun(ports, flow, plan.id, { by: 'schedule', reason: 'automatic replay' });
    return await goOn(ports, flow, plan.id, options);
  } catch (error) {
    const busy = error instanceof ReplayError && ['LOCK_HELD', 'RUN_ACTIVE'].includes(error.code);
    if (!busy) throw error;
    return { kind: 'busy', why: error.message };
  }
}

/** An audit line, and a metric for each guard that said no. */
async function note(
  ports: TickPorts,
  flow: Flow<never>,
  event: Extract<AuditEvent, { readonly kind: 'skipped' | 'observed' }>,
): Promise<void> {
  await ports.store.audit.append(flow.name, undefined, event, ports.now());
  const where = { environment: ports.environment, flow: flow.name };
  for (const line of skippedLines(where, event.because, ports.now())) ports.metric(line);
}
