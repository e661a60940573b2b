import type { StandardSchemaV1 } from '@standard-schema/spec';

/** Kinds of failure. The order is the order of tables and of documentation. */
export const FAILURE_CLASSES = [
  'transient',
  'backpressure',
  'invalid',
  'contract',
  'bug',
  'poison',
  'security',
  'stale',
  'duplicate',
  /** The broker gave the message up at its delivery limit; no handler error is known. */
  'undelivered',
  'unknown',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** What a flow lets happen to a class of failure. */
export type ClassPolicy =
  | {
      readonly action: 'retry';
      /**
       * A failure of this class is retried only while the message has had fewer retries than this.
       * The one counter a message carries is of all its retries, whatever their class; the
       * schedule's maxAttempts caps it as well.
       */
      readonly maxRetries?: number;
      /** 0-based index of the first delay used: retry n waits `delays[fromTier + n - 1]`. */
      readonly fromTier?: number;
    }
  | { readonly action: 'park' }
  | { readonly action: 'discard' }
  | { readonly action: 'acknowledge' };

export interface Schedule {
  /**
   * Waits in milliseconds; retry n (1-based) waits `delaysMs[n - 1]`, the last one repeats.
   * `defineFlow` never leaves it empty: with maxAttempts 1 the only entry serves deferrals.
   */
  readonly delaysMs: readonly number[];
  /** Handler runs in all; 1 means never retry. */
  readonly maxAttempts: number;
  readonly maxElapsedMs: number;
  readonly maxRetryAfterMs: number;
  /** Sibling lanes per tier; lane k waits `delay * (1 + k * spread)`. 1 lane: no jitter. */
  readonly jitter: { readonly lanes: number; readonly spread: number };
}

/** An error reduced to plain facts; reading it can't throw. One per link of the cause chain. */
export interface ErrorFacts {
  readonly name: string;
  readonly message: string;
  /** String form of `code`, `errno` name or SDK code. */
  readonly code?: string;
  readonly errno?: number;
  /** HTTP status, wherever the library put it. */
  readonly status?: number;
  readonly stack?: string;
  /** Own enumerable fields that are primitives, plus those rules need (labels, meta, kind…). */
  readonly fields: Readonly<Record<string, unknown>>;
  /** False when the thrown thing was no Error and not described like one (a string, null, a proxy…). */
  readonly isError: boolean;
  /** Depth in the chain: 0 is what was thrown. */
  readonly depth: number;
  /** The handler's explicit word, when this link is a RetryLater, Park or Discard. */
  readonly control?: ControlMark;
}

/** What a control error (RetryLater, Park, Discard) asks for. */
export type ControlMark =
  | { readonly kind: 'retry'; readonly afterMs?: number }
  | { readonly kind: 'park'; readonly class?: FailureClass }
  | { readonly kind: 'discard' };

/** The thrown thing with its causes and aggregate members, outermost first, cycles cut. */
export interface NormalisedError {
  readonly chain: readonly ErrorFacts[];
  /** Retry-After in milliseconds from now, when a link of the chain carried a usable one. */
  readonly retryAfterMs?: number;
}

/** A named line of the classifier. The first rule that holds gives class and rule name. */
export interface Rule {
  readonly name: string;
  readonly class: FailureClass;
  /** Called for each link, outermost first; rules are tried in order over the whole chain. */
  readonly when: (error: ErrorFacts, whole: NormalisedError) => boolean;
}

/** What the classifier made of a thrown thing. */
export interface Failure {
  readonly class: FailureClass;
  readonly rule: string;
  readonly signature: string;
  readonly name: string;
  readonly code?: string;
  /** Scrubbed, at most 1 KiB of UTF-8. */
  readonly message: string;
  /** A floor for the wait, not yet clamped. */
  readonly retryAfterMs?: number;
  /** Set when the handler said it explicitly: RetryLater, Park, Discard. */
  readonly explicit?:
    | { readonly kind: 'retry'; readonly afterMs?: number }
    | { readonly kind: 'park' }
    | { readonly kind: 'discard' };
  /** What went wrong with the flow's own rules (one threw and was skipped); for the log. */
  readonly notes?: readonly string[];
}

/** What the verdict needs to know of the message. */
export interface AttemptState {
  /** Retries so far: this run was attempt `retryCount + 1`. */
  readonly retryCount: number;
  /** When Layover first gave the message back; absent on a first failure. */
  readonly firstAt?: Date;
  /** The sender's own deadline, when it had one. */
  readonly deadline?: Date;
}

/** What happens to a message whose handler failed. Each member says what the broker sees. */
export type Verdict =
  /** A copy waits in the tier of `delayMs`; comes back as attempt + 1, not before `notBefore`. */
  | { readonly kind: 'retry'; readonly delayMs: number; readonly notBefore?: Date }
  /** A copy rests in the parking queue. */
  | { readonly kind: 'park'; readonly why: ParkReason }
  /** Nothing is published; the log line is the last trace. */
  | { readonly kind: 'discard' }
  /** Nothing is published; the work was already done. */
  | { readonly kind: 'acknowledge' };

export type ParkReason =
  | 'policy'
  | 'explicit'
  | 'attempts-exhausted'
  | 'elapsed'
  | 'class-retries-exhausted'
  | 'deadline';

export interface Binding {
  readonly exchange: string;
  readonly type: 'direct' | 'topic' | 'fanout' | 'headers';
  readonly routingKey: string;
  readonly arguments?: Readonly<Record<string, string | number | boolean>>;
}

/** What a handler and a flow's functions see. */
export interface FlowMessage<Payload = unknown> {
  readonly messageId: string | undefined;
  readonly payload: Payload;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly contentType: string | undefined;
  readonly type: string | undefined;
  readonly correlationId: string | undefined;
  readonly timestamp: Date | undefined;
  readonly redelivered: boolean;
}

/** Settings of guarded replay, kept by the flow and used by the replay engine. */
export interface ReplaySettings {
  readonly automatic: readonly FailureClass[];
  readonly minAgeMs: number;
  readonly maxAgeMs: number;
  readonly lifetimeCap: number;
  readonly batch: number;
  readonly hourlyBudget: number;
  readonly ratePerSecond: number;
  readonly workDepthCeiling: number;
  readonly quietAlarms: readonly string[];
  /** Foreign routes, or `unknown`, from which parked messages are taken as the flow's own. */
  readonly acceptFrom: readonly string[];
  readonly stillWanted?: (message: FlowMessage) => boolean | Promise<boolean>;
}

/** A flow as the house uses it: validated, every default filled in, units in the names. */
export interface Flow<Payload = unknown> {
  readonly name: string;
  readonly queue: string;
  /** `declare`: ours. `existing`: somebody else's, checked and never declared. */
  readonly queueMode: 'declare' | 'existing';
  readonly bindings: readonly Binding[];
  readonly owner: string;
  readonly runbook: string;
  readonly impact: string;
  readonly critical: boolean;
  readonly schedule: Schedule;
  readonly verdicts: Readonly<Record<FailureClass, ClassPolicy>>;
  readonly rules: readonly Rule[];
  readonly payload?: StandardSchemaV1<unknown, Payload>;
  /** Off is stated by the flow: the same message may then be processed twice. */
  readonly idempotency: {
    readonly enabled: boolean;
    readonly key?: (message: FlowMessage) => string;
  };
  readonly labels?: (message: FlowMessage) => Readonly<Record<string, string>>;
  readonly sensitive: readonly string[];
  readonly batch: { readonly size: number; readonly windowMs: number };
  readonly parallelism: number;
  readonly handlerTimeoutMs: number;
  readonly lambda: { readonly memoryMiB: number; readonly timeoutMs: number };
  readonly parking: { readonly maxAgeMs: number };
  readonly replay: ReplaySettings;
}
