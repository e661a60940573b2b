import type { Flow } from '../../policy/types.ts';
import type { SwitchState } from '../guards.ts';
import type { PollerState } from '../outside/world.ts';
import type { ReplayPorts } from '../ports.ts';

/** What the operations need of the world besides what the engine needs. */
export interface OperatorPorts extends ReplayPorts {
  readonly setSwitch: (flow: string | undefined, state: SwitchState) => Promise<void>;
  readonly pollers: (flow: string) => Promise<readonly PollerState[]>;
  readonly setPollers: (flow: string, enabled: boolean) => Promise<readonly PollerState[]>;
  /** Messages of a queue in any state. Rejects when the management API can't say. */
  readonly queueTotal: (queue: string) => Promise<number>;
  /** When parking of the flow was last seen empty before it filled, as the probe remembers it. */
  readonly parkedSince: (flow: string) => Promise<Date | undefined>;
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
  /** Who may run a plan may also see how it goes. */
  replay: ['plan', 'run', 'continue', 'watch', 'cancel'],
  configure: ['switch', 'pause', 'resume'],
} as const;
export type Permission = keyof typeof OPERATIONS;
export type Operation = (typeof OPERATIONS)[Permission][number];

export type Flows = readonly Flow<never>[];

/** Where the audit keeps what concerns every flow. */
export const ALL_FLOWS = '(all)';
