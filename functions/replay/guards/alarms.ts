import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

export interface AlarmState {
  readonly name: string;
  /** CloudWatch's `OK`, `ALARM` or `INSUFFICIENT_DATA`. */
  readonly state: string;
}

/**
 * Holds while every named alarm is known and `OK`. An alarm without data, one in alarm and one that
 * does not exist are all not quiet: nobody knows that the world is healthy.
 */
export function alarms(
  states: Reading<readonly AlarmState[]>,
  names: readonly string[],
): GuardAnswer {
  if (names.length === 0) return HOLDS;
  return judged('alarms', states, (known) => {
    const loud = names.flatMap((name) => {
      const state = known.find((alarm) => alarm.name === name)?.state ?? 'unknown';
      return state === 'OK' ? [] : [`${name} is ${state}`];
    });
    return loud.length === 0 ? HOLDS : refuses('alarms', loud.join(', '));
  });
}
