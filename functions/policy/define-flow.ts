import type { StandardSchemaV1 } from '@standard-schema/spec';
import { durationText } from './duration.ts';
import { FieldReader, isPlainObject } from './field-reader.ts';
import { DEFAULTS, LIMITS } from './flow-defaults.ts';
import type { FlowDefinition } from './flow-definition.ts';
import { FlowDefinitionError, Problems } from './flow-definition-error.ts';
import { FLOW_KEYS } from './flow-keys.ts';
import { readQueue } from './read-queue.ts';
import { readReplay } from './read-replay.ts';
import { readRules } from './read-rules.ts';
import { readSchedule } from './read-schedule.ts';
import { readVerdicts } from './read-verdicts.ts';
import type { Flow } from './types.ts';

/**
 * Checks a flow's definition and fills in every default. The result is frozen.
 *
 * @example
 * export const flow = defineFlow({
 *   name: 'orders',
 *   owner: 'shop team',
 *   runbook: 'https://wiki.example/orders',
 *   impact: 'Customers pay and get no confirmation.',
 *   schedule: { delays: ['10s', '1m', '5m'] },
 * });
 *
 * @throws {FlowDefinitionError} naming everything that is wrong, each with field, value and way out
 */
export function defineFlow<Payload = unknown>(definition: FlowDefinition<Payload>): Flow<Payload> {
  const problems = new Problems();
  const fields = new FieldReader(problems, '', definition ?? null, FLOW_KEYS.flow);
  // A definition that is no object would otherwise lack every field, too.
  if (problems.list.some(({ field }) => field === '')) {
    throw new FlowDefinitionError('a flow', problems.list);
  }

  const schedule = readSchedule(fields);
  const flow: Omit<Flow<Payload>, 'payload' | 'labels'> = {
    ...readQueue(fields),
    owner: fields.line('owner', 'the team an alarm is for', 100),
    runbook: fields.line('runbook', "the address or path of the flow's runbook", 300),
    impact: fields.line('impact', 'what a customer notices when this flow stands still', 300),
    critical: fields.flag('critical', false),
    schedule,
    verdicts: readVerdicts(fields, schedule),
    rules: readRules(fields),
    idempotency: readIdempotency(fields),
    sensitive: fields.texts('sensitive', 'names'),
    batch: readBatch(fields),
    parallelism: fields.integer('parallelism', 1, LIMITS.maxParallelism, DEFAULTS.parallelism),
    ...readLambda(fields),
    parking: {
      maxAgeMs: fields
        .section('parking', FLOW_KEYS.parking)
        .durationMs('maxAge', 60_000, LIMITS.maxAgeMs, DEFAULTS.parkingMaxAgeMs),
    },
    replay: readReplay(fields),
  };
  const payload = readPayload<Payload>(fields);
  const labels = fields.callback<NonNullable<Flow['labels']>>('labels', '(message) => ({ … })');

  if (problems.list.length > 0) {
    throw new FlowDefinitionError(flow.name ? `flow '${flow.name}'` : 'a flow', problems.list);
  }
  return freeze({ ...flow, ...(payload && { payload }), ...(labels && { labels }) });
}

function readPayload<Payload>(fields: FieldReader): StandardSchemaV1<unknown, Payload> | undefined {
  const value = fields.raw('payload');
  if (value === undefined) return undefined;
  // arktype's schemas are functions, so being an object is not asked for.
  const standard = (value as Partial<StandardSchemaV1> | null)?.['~standard'];
  if (standard?.version === 1 && typeof standard.validate === 'function') {
    return value as StandardSchemaV1<unknown, Payload>;
  }
  const text =
    "expected a Standard Schema (zod, valibot, arktype…: an object with '~standard'), got {got}";
  fields.problems.add('payload', value, text);
  return undefined;
}

function readIdempotency(fields: FieldReader): Flow['idempotency'] {
  const value = fields.raw('idempotency');
  if (value === undefined || value === true) return { enabled: true };
  if (value === false) return { enabled: false };
  if (!isPlainObject(value)) {
    fields.problems.add(
      'idempotency',
      value,
      'expected true, false or { key: (message) => text }, got {got}',
    );
    return { enabled: true };
  }
  const section = fields.section('idempotency', FLOW_KEYS.idempotency);
  const key = section.callback<NonNullable<Flow['idempotency']['key']>>('key', '(message) => text');
  if (section.raw('key') === undefined) {
    fields.problems.add(
      'idempotency.key',
      undefined,
      'missing; give (message) => text, or write true',
    );
  }
  return key ? { enabled: true, key } : { enabled: true };
}

/** Lambda takes half a second, its own default, or whole seconds as batching window. */
function readBatch(fields: FieldReader): Flow['batch'] {
  const batch = fields.section('batch', FLOW_KEYS.batch);
  const windowMs = batch.durationMs('window', 0, LIMITS.maxWindowMs, DEFAULTS.batchWindowMs);
  if (windowMs % 1_000 !== 0 && windowMs !== DEFAULTS.batchWindowMs) {
    const text = "Lambda takes '500ms' or whole seconds from '0s' to '300s', got {got}";
    fields.problems.add('batch.window', batch.raw('window'), text);
  }
  return { size: batch.integer('size', 1, LIMITS.maxBatchSize, DEFAULTS.batchSize), windowMs };
}

function readLambda(fields: FieldReader): Pick<Flow, 'lambda' | 'handlerTimeoutMs'> {
  const lambda = fields.section('lambda', FLOW_KEYS.lambda);
  const timeoutMs = lambda.durationMs(
    'timeout',
    LIMITS.minLambdaTimeoutMs,
    LIMITS.maxLambdaTimeoutMs,
    DEFAULTS.lambdaTimeoutMs,
  );
  if (timeoutMs % 1_000 !== 0) {
    fields.problems.add(
      'lambda.timeout',
      lambda.raw('timeout'),
      'Lambda counts whole seconds, got {got}',
    );
  }
  const memoryMiB = lambda.integer(
    'memoryMiB',
    LIMITS.minMemoryMiB,
    LIMITS.maxMemoryMiB,
    DEFAULTS.memoryMiB,
  );

  const roomMs = timeoutMs - LIMITS.settleRoomMs;
  const standardMs = Math.min(DEFAULTS.handlerTimeoutMs, roomMs);
  const handlerTimeoutMs = fields.durationMs(
    'handlerTimeout',
    LIMITS.minHandlerTimeoutMs,
    LIMITS.maxLambdaTimeoutMs,
    standardMs,
  );
  if (handlerTimeoutMs > roomMs && fields.problems.clean('lambda.timeout', 'handlerTimeout')) {
    const text = `{got} leaves no room to settle before the Lambda's own timeout of '${durationText(timeoutMs)}'; use at most '${durationText(roomMs)}', or raise lambda.timeout`;
    fields.problems.add('handlerTimeout', durationText(handlerTimeoutMs), text);
  }
  return { lambda: { memoryMiB, timeoutMs }, handlerTimeoutMs };
}

/** Freezes what we built ourselves; a schema is the library's and may keep notes in itself. */
function freeze<T extends object>(value: T): T {
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'payload' && typeof inner === 'object' && inner !== null) freeze(inner);
  }
  return Object.freeze(value);
}
