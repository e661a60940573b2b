import type { AlarmState, SwitchState } from '../guards.ts';
import type { Exporter } from '../ports.ts';

/** One event source mapping of a flow. */
export interface PollerState {
  /** The mapping's UUID. */
  readonly id: string;
  /** As Lambda names it: `Enabled`, `Disabling`, `Disabled`, `Updating` … */
  readonly state: string;
}

/** Not all pollers of a flow were switched; `states` are those that were. */
export class PollersError extends AggregateError {
  override readonly name = 'PollersError';
  readonly code = 'POLLERS';
  readonly states: readonly PollerState[];

  constructor(errors: readonly unknown[], message: string, states: readonly PollerState[]) {
    super(errors, message);
    this.states = states;
  }
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
  /**
   * Switches all of them; the states are those just after, mostly `Enabling` or `Disabling`. Rejects with
   * {@link PollersError} when some could not be switched.
   */
  setPollers(flow: string, enabled: boolean): Promise<readonly PollerState[]>;
  readonly exporter: Exporter;
  /**
   * Messages in a queue, where there is a better source than the management API.
   * @default the management API
   */
  readonly queueTotal?: (queue: string) => Promise<number>;
}
