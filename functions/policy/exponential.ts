import { type Duration, durationText } from './duration.ts';
import { FieldReader, readDurationMs } from './field-reader.ts';
import { LIMITS } from './flow-defaults.ts';
import { FlowDefinitionError, Problems } from './flow-definition-error.ts';

export interface ExponentialOptions {
  /** Each wait is this many times the one before; above 1, up to 100. @default 2 */
  readonly factor?: number;
  /** No wait is longer; once reached, it repeats. @default none */
  readonly max?: Duration;
  /** How many waits to list, 1 to 20. */
  readonly steps: number;
}

/**
 * Builds a list for `schedule.delays`, each wait `factor` times as long as the one before, rounded
 * to whole milliseconds.
 *
 * | call | delays |
 * |---|---|
 * | `exponential('10s', { steps: 4 })` | 10s, 20s, 40s, 80s |
 * | `exponential('10s', { factor: 6, max: '1h', steps: 5 })` | 10s, 1m, 6m, 36m, 1h |
 *
 * @throws {FlowDefinitionError} for a first wait, factor, max or number of steps that can't be used
 */
export function exponential(first: Duration, options: ExponentialOptions): readonly Duration[] {
  const problems = new Problems();
  const fields = new FieldReader(problems, '', options ?? null, ['factor', 'max', 'steps']);
  const firstMs = readDurationMs(problems, 'first', first, LIMITS.minDelayMs, LIMITS.maxTtlMs) ?? 0;
  const factor = fields.number('factor', 1, 100, 2);
  const maxMs = fields.durationMs('max', firstMs, LIMITS.maxTtlMs, Number.POSITIVE_INFINITY);
  const steps = fields.integer('steps', 1, LIMITS.maxDelays, 1);
  if (fields.raw('steps') === undefined) {
    problems.add('steps', undefined, 'missing; say how many waits to list');
  }

  const delaysMs = Array.from({ length: steps }, (_, step) =>
    Math.min(maxMs, Math.round(firstMs * factor ** step)),
  );
  const longestMs = delaysMs.at(-1) ?? 0;
  if (problems.list.length === 0 && longestMs > LIMITS.maxTtlMs) {
    const text = `the last wait would be ${longestMs} ms, over the broker's ceiling of ${LIMITS.maxTtlMs} ms; set max, or use fewer`;
    problems.add('steps', steps, text);
  }
  if (problems.list.length > 0) throw new FlowDefinitionError('exponential()', problems.list);
  return delaysMs.map(durationText);
}
