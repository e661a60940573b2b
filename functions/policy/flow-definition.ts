import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Duration } from './duration.ts';
import type { Binding, ClassPolicy, FailureClass, FlowMessage, Rule } from './types.ts';

/** What a team writes in `flows/<flow>/flow.ts`; `defineFlow` checks it and fills in the rest. */
export interface FlowDefinition<Payload = unknown> {
  /** Same as the flow's folder: small letters, digits and dashes. */
  readonly name: string;
  /** The work queue. @default the flow's name */
  readonly queue?: string;
  /** `existing`: the queue belongs to someone else, is checked and never declared. @default 'declare' */
  readonly queueMode?: 'declare' | 'existing';
  /** What feeds the queue besides the default exchange; only for queues of ours. @default [] */
  readonly bindings?: readonly BindingDefinition[];
  /** The team an alarm is for. */
  readonly owner: string;
  /** Where its runbook is: an address or a path. */
  readonly runbook: string;
  /** What a customer notices when this flow stands still; in every alarm's text. */
  readonly impact: string;
  /** Whether its alarms wake someone. @default false */
  readonly critical?: boolean;
  readonly schedule?: ScheduleDefinition;
  /** What to do with a class of failure, where the default doesn't fit. */
  readonly verdicts?: Readonly<Partial<Record<FailureClass, ClassPolicy['action'] | ClassPolicy>>>;
  /** Rules of the flow's own; they go before the built-in ones, in this order. @default [] */
  readonly rules?: readonly RuleDefinition[];
  /** Any Standard Schema (zod, valibot, arktype…); a body that doesn't fit is `invalid`. */
  readonly payload?: StandardSchemaV1<unknown, Payload>;
  /**
   * `true`: a message id is processed once. `false`: stated by the flow, the same message may be
   * processed twice. `{ key }`: what identifies the work, instead of the message id.
   * @default true
   */
  readonly idempotency?: boolean | { readonly key: (message: FlowMessage) => string };
  /** Fields to search by (tenant, order…): in the log and, up to 512 bytes, in a header. */
  readonly labels?: (message: FlowMessage) => Readonly<Record<string, string>>;
  /** Names whose values are scrubbed from error messages. @default [] */
  readonly sensitive?: readonly string[];
  readonly batch?: {
    /** Messages handed to one invocation, 1 to 10000. @default 100 */
    readonly size?: number;
    /** How long Lambda gathers them: '500ms', or whole seconds up to '300s'. @default '500ms' */
    readonly window?: Duration;
  };
  /** Handlers run at a time inside one invocation, 1 to 1000. @default 10 */
  readonly parallelism?: number;
  /** When a handler's signal is aborted. @default '30s', less when the Lambda's timeout is short */
  readonly handlerTimeout?: Duration;
  readonly lambda?: {
    /** 128 to 10240. @default 512 */
    readonly memoryMiB?: number;
    /** Whole seconds, '10s' to '14m'. @default '5m' */
    readonly timeout?: Duration;
  };
  readonly parking?: {
    /** A parked message older than this raises an alarm; nothing is ever deleted. @default '1d' */
    readonly maxAge?: Duration;
  };
  readonly replay?: ReplayDefinition;
}

export interface ScheduleDefinition {
  /** The waits, one wait queue each: '100ms' to '49d'. @default ['10s', '1m', '5m', '30m'] */
  readonly delays?: readonly Duration[];
  /**
   * Handler runs in all. More than the delays allow repeats the last one; 1 means never retry.
   * @default delays.length + 1
   */
  readonly maxAttempts?: number;
  /** From the first failure or deferral; caps retries, laps and deferrals. @default '1d' */
  readonly maxElapsed?: Duration;
  /** The longest Retry-After that is honoured. @default the longest delay */
  readonly maxRetryAfter?: Duration;
  /**
   * Sibling lanes per delay, each a queue of its own; only lengthens. `true`: 3 lanes, each 10 % of
   * the delay longer than the one before (30 s, 33 s, 36 s). @default false
   */
  readonly jitter?: boolean | { readonly lanes?: number; readonly spread?: number };
}

export interface BindingDefinition {
  readonly exchange: string;
  readonly type: Binding['type'];
  /** Required for direct and topic exchanges. @default '' */
  readonly routingKey?: string;
  /** For headers exchanges: what to match. */
  readonly arguments?: Binding['arguments'];
}

/** A rule of a flow's own: a name, the class it gives, and when. */
export interface RuleDefinition {
  /** Unique in the flow; small letters, digits and dashes. In every log line and header. */
  readonly name: string;
  readonly class: FailureClass;
  readonly when: Rule['when'] | ErrorMatcher;
}

/** Holds when everything it names fits one link of the error's cause chain. */
export interface ErrorMatcher {
  /** The error's name. Text must be equal. */
  readonly name?: TextMatch;
  /** Its `code`. Text must be equal. */
  readonly code?: TextMatch;
  /** Its HTTP status, wherever the library put it. */
  readonly status?: number | readonly number[];
  /** Its message. Text must be contained. */
  readonly message?: TextMatch;
}
export type TextMatch = string | RegExp | readonly (string | RegExp)[];

/** Guarded replay. Nothing is replayed automatically unless `automatic` names a class. */
export interface ReplayDefinition {
  /** Of 'transient', 'backpressure' and 'undelivered'. @default [] */
  readonly automatic?: readonly FailureClass[];
  /** @default '15m' */
  readonly minAge?: Duration;
  /** @default '3d' */
  readonly maxAge?: Duration;
  /** Replays of one message in its life. @default 3 */
  readonly lifetimeCap?: number;
  /** Messages of one run. @default 100 */
  readonly batch?: number;
  /** Messages of one hour. @default 500 */
  readonly hourlyBudget?: number;
  /** @default 10 */
  readonly ratePerSecond?: number;
  /** No replay while the work queue holds more messages. @default 1000 */
  readonly workDepthCeiling?: number;
  /** Names of alarms that must be OK, besides Layover's own. @default [] */
  readonly quietAlarms?: readonly string[];
  /**
   * Where messages that others parked may come from, besides the flow's own queues and bindings: the queue
   * they died in, `exchange/routing-key` as Spring noted it, or `'unknown'` for those that say nothing.
   * They go to the flow's queue. @default []
   */
  readonly acceptFrom?: readonly string[];
  /** Asked before each message; false leaves it parked. */
  readonly stillWanted?: (message: FlowMessage) => boolean | Promise<boolean>;
}
