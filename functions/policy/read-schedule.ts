import { durationText } from './duration.ts';
import { type FieldReader, readDurationMs } from './field-reader.ts';
import { DEFAULTS, LIMITS } from './flow-defaults.ts';
import { FLOW_KEYS } from './flow-keys.ts';
import { DEFERRAL_DELAY_MS } from './schedule.ts';
import type { Schedule } from './types.ts';

const NO_JITTER = { lanes: 1, spread: 0 };

/** Reads `schedule` of a definition; what is wrong goes to the reader's problems. */
export function readSchedule(flow: FieldReader): Schedule {
  const fields = flow.section('schedule', FLOW_KEYS.schedule);
  const delaysMs = readDelays(fields);
  const maxAttempts = readMaxAttempts(fields, delaysMs);
  const maxElapsedMs = fields.durationMs(
    'maxElapsed',
    LIMITS.minDelayMs,
    LIMITS.maxAgeMs,
    DEFAULTS.maxElapsedMs,
  );
  const longestMs = Math.max(0, ...delaysMs);
  const maxRetryAfterMs = fields.durationMs(
    'maxRetryAfter',
    LIMITS.minDelayMs,
    LIMITS.maxAgeMs,
    longestMs,
  );
  const jitter = readJitter(fields);
  checkReach(fields, delaysMs, maxElapsedMs);
  checkLanes(fields, delaysMs, jitter);

  if (maxAttempts > 1) return { delaysMs, maxAttempts, maxElapsedMs, maxRetryAfterMs, jitter };
  // Never retried, yet deferrals need a wait; one queue for them is enough.
  const delayMs = delaysMs[0] ?? DEFERRAL_DELAY_MS;
  return { delaysMs: [delayMs], maxAttempts, maxElapsedMs, maxRetryAfterMs, jitter: NO_JITTER };
}

function readDelays(fields: FieldReader): readonly number[] {
  if (fields.raw('delays') === undefined) return DEFAULTS.delaysMs;
  const field = fields.at('delays');
  const listed = fields.list('delays', "waits, such as ['10s', '1m']");
  if (listed.length > LIMITS.maxDelays) {
    const text = `${listed.length} delays; use at most ${LIMITS.maxDelays}, each is a queue (the last one repeats up to maxAttempts)`;
    fields.problems.add(field, listed, text);
  }
  return listed.flatMap((delay, index) => readDelay(fields, `${field}[${index}]`, delay) ?? []);
}

function readDelay({ problems }: FieldReader, field: string, delay: unknown): number | undefined {
  const delayMs = readDurationMs(
    problems,
    field,
    delay,
    LIMITS.minDelayMs,
    Number.MAX_SAFE_INTEGER,
  );
  if (delayMs === undefined || delayMs <= LIMITS.maxTtlMs) return delayMs;
  const text = `{got} is ${delayMs} ms, over the broker's ceiling of ${LIMITS.maxTtlMs} ms for a wait; use at most '49d'`;
  problems.add(field, delay, text);
  return undefined;
}

function readMaxAttempts(fields: FieldReader, delaysMs: readonly number[]): number {
  const natural = delaysMs.length + 1;
  const maxAttempts = fields.integer('maxAttempts', 1, LIMITS.maxAttempts, natural);
  if (!fields.problems.clean(fields.at('delays')) || maxAttempts === 1) return maxAttempts;
  if (delaysMs.length === 0 && maxAttempts > 1) {
    const text = `${maxAttempts} attempts need at least one delay to wait; list one, or leave maxAttempts out`;
    fields.problems.add(fields.at('maxAttempts'), maxAttempts, text);
  } else if (maxAttempts < natural) {
    const text = `${maxAttempts} attempts never use all ${delaysMs.length} delays; write ${natural} or more, list fewer delays, or write 1 to never retry`;
    fields.problems.add(fields.at('maxAttempts'), maxAttempts, text);
  }
  return maxAttempts;
}

function readJitter(fields: FieldReader): Schedule['jitter'] {
  const value = fields.raw('jitter');
  if (value === undefined || value === false) return NO_JITTER;
  if (value === true) return DEFAULTS.jitter;
  if (typeof value !== 'object') {
    const text = 'expected true, false or { lanes, spread }, got {got}';
    fields.problems.add(fields.at('jitter'), value, text);
    return NO_JITTER;
  }
  const jitter = fields.section('jitter', FLOW_KEYS.jitter);
  return {
    lanes: jitter.integer('lanes', 1, LIMITS.maxLanes, DEFAULTS.jitter.lanes),
    spread: jitter.number('spread', 0, 1, DEFAULTS.jitter.spread),
  };
}

/** A delay that alone is longer than everything may take would be a queue nobody ever uses. */
function checkReach(fields: FieldReader, delaysMs: readonly number[], maxElapsedMs: number): void {
  if (!fields.problems.clean(fields.at('delays'), fields.at('maxElapsed'))) return;
  delaysMs.forEach((delayMs, index) => {
    if (delayMs <= maxElapsedMs) return;
    const text = `{got} is longer than maxElapsed (${durationText(maxElapsedMs)}), so nothing would ever wait for it; raise schedule.maxElapsed or shorten the delay`;
    fields.problems.add(`${fields.at('delays')}[${index}]`, durationText(delayMs), text);
  });
}

function checkLanes(
  fields: FieldReader,
  delaysMs: readonly number[],
  jitter: Schedule['jitter'],
): void {
  if (!fields.problems.clean(fields.at('delays'), fields.at('jitter'))) return;
  const slowestMs = Math.max(0, ...delaysMs) * (1 + (jitter.lanes - 1) * jitter.spread);
  if (slowestMs <= LIMITS.maxTtlMs) return;
  const text = `its slowest lane would wait ${Math.round(slowestMs)} ms, over the broker's ceiling of ${LIMITS.maxTtlMs} ms; use fewer lanes, a smaller spread or a shorter last delay`;
  fields.problems.add(fields.at('jitter'), fields.raw('jitter'), text);
}
