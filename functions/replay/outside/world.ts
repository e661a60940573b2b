import type { AlarmState, SwitchState } from '../guards.ts';
import type { Exporter } from '../ports.ts';

/** What replay needs of AWS besides its tables; local runs and tests bring their own. */
export interface OutsideWorld {
  /** The stricter of the switch for all flows and the flow's own. Rejects when it can't be read. */
  killSwitch(flow: string): Promise<SwitchState>;
  /** Without a flow: the switch for all. */
  setSwitch(flow: string | undefined, state: SwitchState): Promise<void>;
  /** States of the named alarms; one that doesn't exist is left out. */
  alarmStates(names: readonly string[]): Promise<readonly AlarmState[]>;
  readonly exporter: Exporter;
}
