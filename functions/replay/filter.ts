import { FAILURE_CLASSES } from '../policy/types.ts';
import { ReplayError } from './errors.ts';
import type { ParkedFacts, ReplayFilter } from './types.ts';

/** Whether a parked message is meant by the filter; its `limit` is the caller's to count. */
export function matchesFilter(facts: ParkedFacts, filter: ReplayFilter): boolean {
  const { classes, signatures, rules, messageIds, labels, parkedBefore, parkedAfter } = filter;
  if (classes !== undefined && !classes.includes(facts.class)) return false;
  if (signatures !== undefined && !signatures.includes(facts.signature)) return false;
  if (rules !== undefined && !rules.some((rule) => rule === facts.rule)) return false;
  if (messageIds !== undefined && !messageIds.includes(facts.messageId)) return false;
  for (const [name, value] of Object.entries(labels ?? {})) {
    if (facts.labels[name] !== value) return false;
  }
  // A message whose time is unknown is neither before nor after anything.
  if (parkedBefore !== undefined && !(facts.parkedAt && facts.parkedAt < parkedBefore))
    return false;
  if (parkedAfter !== undefined && !(facts.parkedAt && facts.parkedAt >= parkedAfter)) return false;
  return true;
}

const KEYS = [
  'classes',
  'signatures',
  'rules',
  'messageIds',
  'labels',
  'parkedBefore',
  'parkedAfter',
  'limit',
] as const;

/** Reads a filter from JSON. Unknown keys are refused: a mistyped one would select too much. */
export function parseFilter(input: unknown): ReplayFilter {
  if (input === undefined || input === null) return {};
  if (typeof input !== 'object' || Array.isArray(input)) throw bad('filter', input, 'an object');
  const source = input as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(source)) {
    if (!KEYS.some((known) => known === key)) {
      throw bad(`filter.${key}`, source[key], `one of ${KEYS.join(', ')}`);
    }
  }
  const filter: { -readonly [K in keyof ReplayFilter]: ReplayFilter[K] } = {};
  if (source.classes !== undefined) filter.classes = classesOf(source.classes);
  if (source.signatures !== undefined) filter.signatures = texts('signatures', source.signatures);
  if (source.rules !== undefined) filter.rules = texts('rules', source.rules);
  if (source.messageIds !== undefined) filter.messageIds = texts('messageIds', source.messageIds);
  if (source.labels !== undefined) filter.labels = labelsOf(source.labels);
  if (source.parkedBefore !== undefined) {
    filter.parkedBefore = moment('parkedBefore', source.parkedBefore);
  }
  if (source.parkedAfter !== undefined)
    filter.parkedAfter = moment('parkedAfter', source.parkedAfter);
  if (source.limit !== undefined) {
    if (!Number.isSafeInteger(source.limit) || Number(source.limit) < 1) {
      throw bad('filter.limit', source.limit, 'a whole number from 1 up');
    }
    filter.limit = Number(source.limit);
  }
  return filter;
}

function texts(key: string, value: unknown): readonly string[] {
  const fits =
    Array.isArray(value) && value.length > 0 && value.every((v) => typeof v === 'string');
  if (!fits) throw bad(`filter.${key}`, value, 'a list of at least one text');
  return value;
}

/** A class nobody has is a mistake, and would select nothing. */
function classesOf(value: unknown): readonly string[] {
  const classes = texts('classes', value);
  const wrong = classes.find((name) => !FAILURE_CLASSES.some((known) => known === name));
  if (wrong !== undefined) throw bad('filter.classes', wrong, `of ${FAILURE_CLASSES.join(', ')}`);
  return classes;
}

function labelsOf(value: unknown): Readonly<Record<string, string>> {
  const fits =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((label) => typeof label === 'string');
  if (!fits) throw bad('filter.labels', value, 'an object of texts');
  return value as Readonly<Record<string, string>>;
}

function moment(key: string, value: unknown): Date {
  const at = typeof value === 'string' || value instanceof Date ? new Date(value) : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) {
    throw bad(`filter.${key}`, value, 'a time such as 2026-01-31T12:00:00Z');
  }
  return at;
}

function bad(field: string, value: unknown, expected: string): ReplayError {
  return new ReplayError(
    'BAD_REQUEST',
    `${field} must be ${expected}, got ${JSON.stringify(value)}.`,
  );
}
