import { emf } from '../consumer/metrics.ts';
import type { GuardName } from './guards.ts';
import type { Run } from './types.ts';

/** Names are the contract with the alarms; all in namespace `Layover`, dimensions environment and flow. */
export const REPLAY_METRICS = {
  /** 1 per look of the schedule: its absence is an alarm. */
  ticks: 'ReplayTicks',
  moved: 'Replayed',
  duplicates: 'ReplayDuplicates',
  superseded: 'ReplaySuperseded',
  discarded: 'ReplayDiscarded',
  leftovers: 'ReplayLeftovers',
  regressions: 'ReplayRegressions',
  /** Messages, or a whole look of the schedule, by guard (dimension `guard`). */
  skipped: 'ReplaySkipped',
  /** Messages the schedule would have moved, where it only observes. */
  wouldMove: 'ReplayWouldMove',
  /** 1 while the switch keeps automatic replay from working, else 0. */
  switchedOff: 'ReplaySwitchedOff',
} as const;

interface Where {
  readonly environment: string;
  readonly flow: string;
}

export function tickLine(where: Where, switchedOff: boolean, nowMs: number): string {
  return emf(nowMs, dimensions(where), {
    [REPLAY_METRICS.ticks]: 1,
    [REPLAY_METRICS.switchedOff]: switchedOff ? 1 : 0,
  });
}

/** One line per guard that kept something back. */
export function skippedLines(
  where: Where,
  counts: Readonly<Partial<Record<GuardName, number>>>,
  nowMs: number,
): string[] {
  return Object.entries(counts).map(([guard, count]) =>
    emf(nowMs, { ...dimensions(where), guard }, { [REPLAY_METRICS.skipped]: count }),
  );
}

export function observedLine(where: Where, selected: number, nowMs: number): string {
  return emf(nowMs, dimensions(where), { [REPLAY_METRICS.wouldMove]: selected });
}

/** What a run that has ended did. Counted once, at its end, over all its workers. */
export function runLine(environment: string, run: Run, nowMs: number): string {
  const { moved, duplicates, superseded, discarded } = run.counters;
  const leftovers = Object.values(run.leftovers).reduce((sum, count) => sum + count, 0);
  return emf(nowMs, dimensions({ environment, flow: run.flow }), {
    [REPLAY_METRICS.moved]: moved,
    [REPLAY_METRICS.duplicates]: duplicates,
    [REPLAY_METRICS.superseded]: superseded,
    [REPLAY_METRICS.discarded]: discarded,
    [REPLAY_METRICS.leftovers]: leftovers,
    [REPLAY_METRICS.regressions]: isRegression(run) ? 1 : 0,
  });
}

function isRegression({ state, why }: Run): boolean {
  return state === 'halted' && why?.startsWith('failed again') === true;
}

function dimensions({ environment, flow }: Where) {
  return { environment, flow };
}
