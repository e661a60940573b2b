import type { GuardName, ParkedOrigin, RunMode } from './guards.ts';
import type { RunState } from './run-state.ts';

/** What is known of a parked message without its body. */
export interface ParkedFacts {
  /** Identity of the content: broker counters don't change it, a further failure does. */
  readonly fingerprint: string;
  /** Its own, or the one a replay would stamp. */
  readonly messageId: string;
  readonly class: string;
  readonly rule: string | undefined;
  readonly signature: string;
  readonly errorName: string | undefined;
  readonly errorMessage: string | undefined;
  /** Absent when nothing on the message says it. */
  readonly parkedAt: Date | undefined;
  readonly firstAt: Date | undefined;
  readonly replayCount: number;
  /** The run that moved it last; a parked message with one failed again after a replay. */
  readonly lastRun: string | undefined;
  readonly origin: ParkedOrigin;
  readonly labels: Readonly<Record<string, string>>;
  readonly bytes: number;
  /** A copy of ours: no other message has its fingerprint. */
  readonly own: boolean;
}

/** Which parked messages are meant. Everything given must hold; nothing given means all. */
export interface ReplayFilter {
  readonly classes?: readonly string[];
  readonly signatures?: readonly string[];
  readonly rules?: readonly string[];
  readonly messageIds?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly parkedBefore?: Date;
  readonly parkedAfter?: Date;
  /** At most so many, oldest in the queue first. */
  readonly limit?: number;
}

/** What a run does with its messages. */
export type RunAction = 'replay' | 'discard';

/** A verified caller and their reason. */
export interface Order {
  /** ARN of the caller, or `schedule`. */
  readonly by: string;
  readonly reason: string;
  readonly ticket?: string;
}

/** How far a scan looked. */
export interface Window {
  /** Messages ready in the parking queue when the scan began. */
  readonly depth: number;
  readonly scanned: number;
  /** False: there is more behind the window, which this plan doesn't know. */
  readonly complete: boolean;
}

export interface GroupCount {
  readonly class: string;
  readonly signature: string;
  readonly count: number;
  readonly selected: number;
  /** Messages of the group that failed again after a replay. */
  readonly failedAgain: number;
  readonly firstAt: string | undefined;
  readonly lastAt: string | undefined;
  readonly errorName: string | undefined;
  readonly sample: { readonly messageId: string; readonly errorMessage: string | undefined };
  /** Of the group: how many the schedule would take now, and what keeps it from the others. */
  readonly automatic: number;
  readonly skipped: Readonly<Partial<Record<GuardName, number>>>;
}

export interface Summary {
  readonly groups: readonly GroupCount[];
  /** Groups beyond those listed, and the messages in them. */
  readonly moreGroups: { readonly groups: number; readonly messages: number };
  readonly byClass: Readonly<Record<string, number>>;
  readonly byAge: Readonly<Record<string, number>>;
}

export interface Plan {
  readonly id: string;
  readonly environment: string;
  readonly flow: string;
  readonly action: RunAction;
  readonly mode: RunMode;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly validUntil: Date;
  readonly filter: ReplayFilter;
  readonly options: RunOptions;
  readonly window: Window;
  readonly selected: number;
  readonly selectedBytes: number;
  /** Originals of messages an earlier run has moved; this run removes them when it meets them. */
  readonly leftBehind: number;
  /** Of the content that was seen and selected. */
  readonly digest: string;
  readonly summary: Summary;
  readonly sample: readonly ParkedFacts[];
  readonly estimateMs: number;
  /** Selected messages a person should think about: why and how many. */
  readonly warnings: readonly { readonly what: string; readonly count: number }[];
  /** Matching messages that were not selected. */
  readonly refused: Readonly<Partial<Record<GuardName, number>>>;
}

export interface RunOptions {
  readonly ramp: boolean;
  /** Undefined: as fast as the broker confirms. */
  readonly ratePerSecond?: number;
  /** Also messages another run may have moved already. @default false */
  readonly includeUncertain?: boolean;
  /** Also messages of which nothing says that they are the flow's. @default false */
  readonly acceptUnknown?: boolean;
  /** Leaves the sender's own deadline behind. @default false */
  readonly ignoreDeadline?: boolean;
}

/** What may still be chosen when a plan is run; the rest stays as planned. */
export type Pace = Partial<Pick<RunOptions, 'ramp' | 'ratePerSecond'>>;

/** Why a planned message stayed where it was. */
export type LeftoverReason =
  | 'unroutable'
  | 'refused-by-queue'
  | 'cannot-be-copied'
  | 'too-large'
  | 'uncertain'
  | 'in-progress'
  | 'not-reached'
  | 'broker'
  /** Not in the parking queue any more, or not with the content the plan saw. */
  | 'gone';

export interface RunCounters {
  readonly moved: number;
  /** Done before, by the idempotency record: removed from parking. */
  readonly duplicates: number;
  /** Originals whose copy a run had moved already: removed. */
  readonly superseded: number;
  readonly discarded: number;
  readonly failed: number;
  readonly slices: number;
}

export const NO_COUNTERS: RunCounters = {
  moved: 0,
  duplicates: 0,
  superseded: 0,
  discarded: 0,
  failed: 0,
  slices: 0,
};

export interface Run {
  readonly id: string;
  readonly flow: string;
  readonly state: RunState;
  readonly plan: Plan;
  readonly order?: Order;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly why?: string;
  readonly cancelledBy?: string;
  readonly counters: RunCounters;
  readonly leftovers: Readonly<Partial<Record<LeftoverReason, number>>>;
  readonly depthBefore?: number;
  readonly depthAfter?: number;
}
