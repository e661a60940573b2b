import { FieldReader, isPlainObject, readChoice } from './field-reader.ts';
import { ALLOWED_ACTIONS, DEFAULT_VERDICTS, LIMITS } from './flow-defaults.ts';
import { type ClassPolicy, FAILURE_CLASSES, type FailureClass, type Schedule } from './types.ts';

const RETRY_KEYS = ['action', 'maxRetries', 'fromTier'];

/**
 * Reads `verdicts`: for each class an action, or an object when a retry has limits of its own.
 * What a retry leaves out stays at the class's default, so `unknown: 'retry'` still means twice.
 */
export function readVerdicts(
  flow: FieldReader,
  schedule: Schedule,
): Record<FailureClass, ClassPolicy> {
  const fields = flow.section('verdicts', FAILURE_CLASSES);
  const verdicts = { ...DEFAULT_VERDICTS };
  for (const name of FAILURE_CLASSES) {
    const value = fields.raw(name);
    if (value !== undefined) verdicts[name] = readPolicy(fields, name, value, schedule);
  }
  return verdicts;
}

function readPolicy(
  fields: FieldReader,
  name: FailureClass,
  value: unknown,
  schedule: Schedule,
): ClassPolicy {
  const { problems } = fields;
  const field = fields.at(name);
  const written = isPlainObject(value) ? value.action : value;
  const actionField = isPlainObject(value) ? `${field}.action` : field;
  if (isPlainObject(value) && written === undefined) {
    problems.add(actionField, written, `missing; give one of ${ALLOWED_ACTIONS[name].join(', ')}`);
    return DEFAULT_VERDICTS[name];
  }
  const action = readChoice(problems, actionField, written, [
    'retry',
    'park',
    'discard',
    'acknowledge',
  ]);
  if (action === undefined) return DEFAULT_VERDICTS[name];
  if (!ALLOWED_ACTIONS[name].includes(action)) {
    problems.add(actionField, written, conflict(name, action));
    return DEFAULT_VERDICTS[name];
  }

  if (action !== 'retry') {
    if (isPlainObject(value))
      checkNoRetryKeys(new FieldReader(problems, field, value, RETRY_KEYS), action);
    return { action };
  }
  if (schedule.maxAttempts === 1 && problems.clean('schedule.maxAttempts', 'schedule.delays')) {
    const text = `the schedule never retries (maxAttempts 1), so this can't; raise schedule.maxAttempts or write 'park'`;
    problems.add(actionField, written, text);
  }
  return readRetry(
    new FieldReader(problems, field, isPlainObject(value) ? value : undefined, RETRY_KEYS),
    name,
    schedule,
  );
}

function readRetry(fields: FieldReader, name: FailureClass, schedule: Schedule): ClassPolicy {
  const standard = DEFAULT_VERDICTS[name];
  const inherited = standard.action === 'retry' ? standard : {};
  const policy: { action: 'retry'; maxRetries?: number; fromTier?: number } = {
    action: 'retry',
    ...inherited,
  };
  if (fields.raw('maxRetries') !== undefined) {
    policy.maxRetries = fields.integer('maxRetries', 1, LIMITS.maxAttempts, 1);
    checkMaxRetries(fields, policy.maxRetries, schedule);
  }
  if (fields.raw('fromTier') !== undefined) {
    policy.fromTier = fields.integer('fromTier', 0, LIMITS.maxDelays, 0);
    checkFromTier(fields, policy.fromTier, schedule);
  }
  return policy;
}

function checkNoRetryKeys(fields: FieldReader, action: string): void {
  for (const key of RETRY_KEYS) {
    if (key === 'action' || fields.raw(key) === undefined) continue;
    const text = `means nothing when the action is '${action}'; remove it, or write 'retry'`;
    fields.problems.add(fields.at(key), fields.raw(key), text);
  }
}

function checkMaxRetries(fields: FieldReader, maxRetries: number, schedule: Schedule): void {
  const allowed = schedule.maxAttempts - 1;
  const comparable = fields.problems.clean('schedule.maxAttempts', 'schedule.delays');
  if (!comparable || allowed === 0 || maxRetries <= allowed) return;
  const text = `{got} is more than the ${allowed} retries of the schedule; raise schedule.maxAttempts to ${maxRetries + 1} or lower it`;
  fields.problems.add(fields.at('maxRetries'), maxRetries, text);
}

function checkFromTier(fields: FieldReader, fromTier: number, schedule: Schedule): void {
  const last = schedule.delaysMs.length - 1;
  if (!fields.problems.clean('schedule.delays') || fromTier <= last) return;
  const text = `there is no delay ${fromTier}; they are counted from 0, and the last is ${last}`;
  fields.problems.add(fields.at('fromTier'), fromTier, text);
}

/** Why an action makes no sense for a class. */
function conflict(name: FailureClass, action: ClassPolicy['action']): string {
  const choices = ALLOWED_ACTIONS[name].map((choice) => `'${choice}'`).join(' or ');
  if (action === 'acknowledge') {
    return `only 'duplicate' was done before and may be acknowledged; write ${choices}`;
  }
  switch (name) {
    case 'duplicate':
      return `a duplicate was done already and can't be retried; write ${choices}`;
    case 'poison':
      return `a poison message is proven to kill the function and can't be retried; write ${choices}`;
    case 'undelivered':
      return `the broker has parked these messages itself, nothing else can happen to them; write ${choices}`;
    default:
      return `'${action}' is not possible here; write ${choices}`;
  }
}
