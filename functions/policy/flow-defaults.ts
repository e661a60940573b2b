import type { ClassPolicy, FailureClass } from './types.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** What happens to each class unless the flow says otherwise. */
export const DEFAULT_VERDICTS: Readonly<Record<FailureClass, ClassPolicy>> = {
  transient: { action: 'retry' },
  // The first wait is for hiccups; a downstream that says "too much" gets longer at once.
  backpressure: { action: 'retry', fromTier: 1 },
  invalid: { action: 'park' },
  contract: { action: 'park' },
  bug: { action: 'park' },
  poison: { action: 'park' },
  security: { action: 'park' },
  stale: { action: 'park' },
  duplicate: { action: 'acknowledge' },
  undelivered: { action: 'park' },
  unknown: { action: 'retry', maxRetries: 2 },
};

/** What a flow may choose for a class. */
export const ALLOWED_ACTIONS: Readonly<Record<FailureClass, readonly ClassPolicy['action'][]>> = {
  transient: ['retry', 'park', 'discard'],
  backpressure: ['retry', 'park', 'discard'],
  invalid: ['retry', 'park', 'discard'],
  contract: ['retry', 'park', 'discard'],
  bug: ['retry', 'park', 'discard'],
  poison: ['park', 'discard'],
  security: ['retry', 'park', 'discard'],
  stale: ['retry', 'park', 'discard'],
  duplicate: ['acknowledge', 'park', 'discard'],
  undelivered: ['park'],
  unknown: ['retry', 'park', 'discard'],
};

/** Classes only Layover itself gives, on evidence no error carries; no rule may. */
export const RESERVED_CLASSES: readonly FailureClass[] = ['poison', 'undelivered'];

/** Classes that may be replayed without a person: time alone can have healed them. */
export const AUTOMATIC_CLASSES: readonly FailureClass[] = [
  'transient',
  'backpressure',
  'undelivered',
];

export const DEFAULTS = {
  delaysMs: [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  maxElapsedMs: DAY_MS,
  /** What `jitter: true` means: 30 s, 33 s, 36 s. */
  jitter: { lanes: 3, spread: 0.1 },
  batchSize: 100,
  batchWindowMs: 500,
  parallelism: 10,
  handlerTimeoutMs: 30 * SECOND_MS,
  memoryMiB: 512,
  lambdaTimeoutMs: 5 * MINUTE_MS,
  parkingMaxAgeMs: DAY_MS,
  replay: {
    minAgeMs: 15 * MINUTE_MS,
    maxAgeMs: 3 * DAY_MS,
    lifetimeCap: 3,
    batch: 100,
    hourlyBudget: 500,
    ratePerSecond: 10,
    workDepthCeiling: 1_000,
  },
} as const;

export const LIMITS = {
  /** RabbitMQ refuses a larger `x-message-ttl`: 2^32 − 1. */
  maxTtlMs: 4_294_967_295,
  /** A shorter wait is a hot loop through the broker, not a pause. */
  minDelayMs: 100,
  /** Each delay (and each lane) is a queue, and small Amazon MQ brokers allow a hundred in all. */
  maxDelays: 20,
  maxLanes: 10,
  maxAttempts: 1_000,
  maxAgeMs: 365 * DAY_MS,
  /** RabbitMQ's limit on names and routing keys, in bytes of UTF-8. */
  maxNameBytes: 255,
  /** RabbitMQ can't put a longer name with other than ASCII letters into its replies. */
  maxNonAsciiNameBytes: 180,
  /** Lambda's limits for an Amazon MQ event source. */
  maxBatchSize: 10_000,
  maxWindowMs: 300 * SECOND_MS,
  minLambdaTimeoutMs: 10 * SECOND_MS,
  maxLambdaTimeoutMs: 14 * MINUTE_MS,
  minMemoryMiB: 128,
  maxMemoryMiB: 10_240,
  minHandlerTimeoutMs: 100,
  maxParallelism: 1_000,
  /** What an invocation keeps for settling after the last handler's timeout. */
  settleRoomMs: 5 * SECOND_MS,
} as const;
