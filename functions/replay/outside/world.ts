import type { AlarmState, SwitchState } from '../guards.ts';
import type { Exporter } from '../ports.ts';

/** One event source mapping of a flow. */
export interface PollerState {
  /** The mapping's UUID. */
  readonly id: string;
  /** As Lambda names it: `Enabled`, `Disabling`, `Disabled`, `Updating` … */
  readonly state: string;
}

/** What replay needs of AWS besides its tables; local runs and tests bring their own. */
export interface OutsideWorld {
  /** The stricter of the switch for all flows and the flow's own. Rejects when it can't be read. */
  killSwitch(flow: string): Promise<SwitchState>;
  /** Without a flow: the switch for all. */
  setSwitch(flow: string | undefined, state: SwitchState): Promise<void>;
  /** States of the named alarms; one that doesn't exist is left out. */
  alarmStates(names: readonly string[]): Promise<readonly AlarmState[]>;
  /** The flow's mappings; none when none are known. Rejects when they can't be read. */
  pollers(flow: string): Promise<readonly PollerState[]>;
  /** Switches all of them; the states are those just after, mostly `Enabling` or `Disabling`. */
  setPollers(flow: string, enabled: boolean): Promise<readonly PollerState[]>;
  readonly exporter: Exporter;
  /**
   * Messages in a queue, where there is a better source than the management API.
   * @default the management API
   */
  readonly queueTotal?: (queue: string) => Promise<number>;
}
