import type {
  BindingDefinition,
  ErrorMatcher,
  FlowDefinition,
  ReplayDefinition,
  RuleDefinition,
  ScheduleDefinition,
} from './flow-definition.ts';
import { suggest } from './suggest.ts';

/** Lists the keys of an interface; the compiler refuses a list with one missing or too many. */
function keysOf<T>(keys: Record<keyof Required<T>, true>): readonly string[] {
  return Object.keys(keys);
}

type Section<K extends keyof FlowDefinition> = Extract<NonNullable<FlowDefinition[K]>, object>;

/** Every key a definition may have, by the section it belongs in. */
export const FLOW_KEYS = {
  flow: keysOf<FlowDefinition>({
    name: true,
    queue: true,
    queueMode: true,
    bindings: true,
    owner: true,
    runbook: true,
    impact: true,
    critical: true,
    schedule: true,
    verdicts: true,
    rules: true,
    payload: true,
    idempotency: true,
    labels: true,
    sensitive: true,
    batch: true,
    parallelism: true,
    handlerTimeout: true,
    lambda: true,
    parking: true,
    replay: true,
  }),
  schedule: keysOf<ScheduleDefinition>({
    delays: true,
    maxAttempts: true,
    maxElapsed: true,
    maxRetryAfter: true,
    jitter: true,
  }),
  jitter: ['lanes', 'spread'],
  binding: keysOf<BindingDefinition>({
    exchange: true,
    type: true,
    routingKey: true,
    arguments: true,
  }),
  rule: keysOf<RuleDefinition>({ name: true, class: true, when: true }),
  matcher: keysOf<ErrorMatcher>({ name: true, code: true, status: true, message: true }),
  idempotency: ['key'],
  batch: keysOf<Section<'batch'>>({ size: true, window: true }),
  lambda: keysOf<Section<'lambda'>>({ memoryMiB: true, timeout: true }),
  parking: keysOf<Section<'parking'>>({ maxAge: true }),
  replay: keysOf<ReplayDefinition>({
    automatic: true,
    minAge: true,
    maxAge: true,
    lifetimeCap: true,
    batch: true,
    hourlyBudget: true,
    ratePerSecond: true,
    workDepthCeiling: true,
    quietAlarms: true,
    acceptFrom: true,
    stillWanted: true,
  }),
} as const;

/** Sections a key may have been meant for when it stands in another one. */
const NAMED_SECTIONS = ['schedule', 'batch', 'lambda', 'parking', 'replay'] as const;

/** Words from other libraries and from RabbitMQ itself, in small letters. */
const FOREIGN_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    retries: 'schedule.maxAttempts (which counts the first run too)',
    maxretries: 'schedule.maxAttempts (which counts the first run too)',
    attempts: 'schedule.maxAttempts',
    backoff: "schedule.delays, for example exponential('10s', { factor: 3, steps: 4 })",
    retry: 'schedule, and verdicts for single classes',
    concurrency: 'parallelism',
    prefetch: 'batch.size',
    schema: 'payload',
    memory: 'lambda.memoryMiB',
    exchange: 'bindings',
    routingkey: 'bindings',
  }),
);
const QUEUE_ARGUMENT =
  /^(x-.*|expires|autodelete|exclusive|durable|passive|arguments|ttl|messagettl|maxlength|overflow|deadletter.*|deliverylimit|maxpriority|queuetype)$/;

/** What to tell someone who wrote a key that does not exist in this section. */
export function unknownKeyHint(key: string, known: readonly string[], inFlow: boolean): string {
  const near = suggest(key, known);
  if (near !== undefined) return `did you mean '${near}'?`;

  const word = key.toLowerCase();
  if (QUEUE_ARGUMENT.test(word)) {
    return 'queue arguments are the same for every flow (durable, never expiring, never exclusive); remove it';
  }
  const home = NAMED_SECTIONS.find(
    (section) => FLOW_KEYS[section] !== known && FLOW_KEYS[section].includes(key),
  );
  if (home !== undefined) return `did you mean '${home}.${key}'?`;
  const meant = FOREIGN_WORDS.get(word);
  if (meant !== undefined) return `did you mean ${meant}?`;
  if (!inFlow && FLOW_KEYS.flow.includes(key)) return `'${key}' belongs one level up, in the flow`;
  return `known are ${known.join(', ')}`;
}
