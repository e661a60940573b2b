import type { FieldReader } from './field-reader.ts';
import { AUTOMATIC_CLASSES, DEFAULTS, LIMITS } from './flow-defaults.ts';
import { FLOW_KEYS } from './flow-keys.ts';
import { FAILURE_CLASSES, type FailureClass, type ReplaySettings } from './types.ts';

const MAX_MESSAGES = 1_000_000;
const MAX_RATE_PER_SECOND = 1_000;

/** Reads `replay`: off unless classes are named, guarded by defaults when they are. */
export function readReplay(flow: FieldReader): ReplaySettings {
  const fields = flow.section('replay', FLOW_KEYS.replay);
  const standard = DEFAULTS.replay;
  const settings = {
    automatic: readAutomatic(fields),
    minAgeMs: fields.durationMs('minAge', 0, LIMITS.maxAgeMs, standard.minAgeMs),
    maxAgeMs: fields.durationMs('maxAge', 1_000, LIMITS.maxAgeMs, standard.maxAgeMs),
    lifetimeCap: fields.integer('lifetimeCap', 1, 1_000, standard.lifetimeCap),
    batch: fields.integer('batch', 1, MAX_MESSAGES, standard.batch),
    hourlyBudget: fields.integer('hourlyBudget', 1, MAX_MESSAGES, standard.hourlyBudget),
    ratePerSecond: fields.number('ratePerSecond', 0, MAX_RATE_PER_SECOND, standard.ratePerSecond),
    workDepthCeiling: fields.integer(
      'workDepthCeiling',
      0,
      Number.MAX_SAFE_INTEGER,
      standard.workDepthCeiling,
    ),
    quietAlarms: fields.texts('quietAlarms', 'names of alarms'),
    acceptFrom: fields.texts('acceptFrom', "queues, 'exchange/routing-key' routes, or 'unknown'"),
  };
  const stillWanted = fields.callback<NonNullable<ReplaySettings['stillWanted']>>(
    'stillWanted',
    '(message) => boolean',
  );
  if (
    fields.problems.clean('replay.minAge', 'replay.maxAge') &&
    settings.minAgeMs >= settings.maxAgeMs
  ) {
    const text = `nothing is older than minAge and younger than maxAge; make maxAge the longer one`;
    fields.problems.add('replay.maxAge', fields.raw('maxAge') ?? 'its default', text);
  }
  if (
    fields.problems.clean('replay.batch', 'replay.hourlyBudget') &&
    settings.batch > settings.hourlyBudget
  ) {
    const text = `a batch of ${settings.batch} is more than the hourly budget of ${settings.hourlyBudget}; lower batch or raise hourlyBudget`;
    fields.problems.add('replay.batch', fields.raw('batch') ?? 'its default', text);
  }
  return stillWanted ? { ...settings, stillWanted } : settings;
}

function readAutomatic(fields: FieldReader): readonly FailureClass[] {
  const allowed = AUTOMATIC_CLASSES.map((name) => `'${name}'`).join(', ');
  return fields.texts('automatic', `classes, of ${allowed}`).flatMap((name) => {
    const found = AUTOMATIC_CLASSES.find((candidate) => candidate === name);
    if (found !== undefined) return found;
    const known = FAILURE_CLASSES.some((candidate) => candidate === name);
    const why = known ? 'would only fail again and needs a person' : 'is no class of failure';
    fields.problems.add('replay.automatic', name, `{got} ${why}; only ${allowed} may be listed`);
    return [];
  });
}
