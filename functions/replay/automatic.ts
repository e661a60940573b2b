import type { ReplaySettings } from '../policy/types.ts';
import {
  type AlarmState,
  alarms,
  allowedByRate,
  type GuardAnswer,
  type GuardName,
  hourlyBudget,
  killSwitch,
  type Reading,
  type SwitchState,
  workDepth,
} from './guards.ts';

/** What the schedule reads of the world before it opens parking. */
export interface Readings {
  readonly switchState: Reading<SwitchState>;
  /** Messages in parking by the last probe point. */
  readonly parkedDepth: Reading<number>;
  readonly workDepth: Reading<number>;
  readonly alarms: Reading<readonly AlarmState[]>;
  /** Messages automatic replay moved within the past hour. */
  readonly budgetUsed: Reading<number>;
}

export interface DecisionInput {
  readonly settings: ReplaySettings;
  readonly readings: Readings;
  /** All that must be quiet: those the flow names, and Layover's own for settle failures and regressions. */
  readonly alarmNames: readonly string[];
  /** The environment only records what it would do. */
  readonly observe: boolean;
  /** What the run may take in all. */
  readonly availableMs: number;
}

export type Decision =
  /** The flow replays nothing automatically, or nothing is parked. */
  | { readonly kind: 'idle'; readonly why: string }
  | {
      readonly kind: 'skip';
      readonly refusals: readonly Extract<GuardAnswer, { readonly holds: false }>[];
    }
  | {
      readonly kind: 'look' | 'observe';
      /** At most so many messages, and what limits them. */
      readonly limit: number;
      readonly limitedBy: GuardName;
    };

/** Whether the schedule opens a flow's parking queue, and for how many messages. Pure. */
export function decide(input: DecisionInput): Decision {
  const { settings, readings, alarmNames } = input;
  if (settings.automatic.length === 0) {
    return { kind: 'idle', why: 'the flow names no class for automatic replay' };
  }
  const { parkedDepth } = readings;
  if (parkedDepth.kind === 'read' && parkedDepth.value === 0) {
    return { kind: 'idle', why: 'nothing is parked' };
  }
  const answers = [
    killSwitch(readings.switchState, 'automatic'),
    alarms(readings.alarms, alarmNames),
    workDepth(readings.workDepth, settings.workDepthCeiling),
    hourlyBudget(readings.budgetUsed, 0, settings.hourlyBudget),
  ];
  const refusals = answers.filter((answer) => !answer.holds);
  if (refusals.length > 0) return { kind: 'skip', refusals };
  return { kind: observes(input) ? 'observe' : 'look', ...limitOf(input) };
}

function observes({ observe, readings }: DecisionInput): boolean {
  const { switchState } = readings;
  return observe || (switchState.kind === 'read' && switchState.value === 'observe');
}

/** The smallest of batch, what is left of the budget, and what the rate allows in the time there is. */
function limitOf({ settings, readings, availableMs }: DecisionInput) {
  const used = readings.budgetUsed.kind === 'read' ? readings.budgetUsed.value : Infinity;
  const limits: readonly { readonly limit: number; readonly limitedBy: GuardName }[] = [
    { limit: settings.batch, limitedBy: 'batch' },
    { limit: Math.max(0, settings.hourlyBudget - used), limitedBy: 'hourly-budget' },
    { limit: allowedByRate(settings.ratePerSecond, availableMs), limitedBy: 'rate' },
  ];
  return limits.reduce((least, next) => (next.limit < least.limit ? next : least));
}
