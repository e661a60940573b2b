import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

/** `on`: everything. `observe`: the schedule only records. `manual`: people only. `off`: nothing. */
export const SWITCH_STATES = ['on', 'observe', 'manual', 'off'] as const;
export type SwitchState = (typeof SWITCH_STATES)[number];

/** Who wants to move messages. */
export type RunMode = 'automatic' | 'manual';

/** The stricter of the global switch and the flow's own. */
export function stricter(a: SwitchState, b: SwitchState): SwitchState {
  return SWITCH_STATES.indexOf(a) >= SWITCH_STATES.indexOf(b) ? a : b;
}

/** Holds while the switch lets this kind of run move messages. `observe` stops nothing: it is the caller's to obey. */
export function killSwitch(state: Reading<SwitchState>, mode: RunMode): GuardAnswer {
  return judged('kill-switch', state, (value) => {
    if (value === 'off') return refuses('kill-switch', 'replay is switched off');
    if (value === 'manual' && mode === 'automatic') {
      return refuses('kill-switch', 'automatic replay is switched off');
    }
    return HOLDS;
  });
}
