import { type FlowMappings, parseMappings } from '../consumer/mapping-setting.ts';
import { parseSettings, type Settings, SettingsError } from '../consumer/settings.ts';

/** What a replay function is told by its environment, parsed once. */
export interface ReplaySettings extends Settings {
  readonly vhost: string;
  /** The table of plans and runs, and the one of the audit. */
  readonly replayTableName: string;
  readonly auditTableName: string;
  /** Parameters `<prefix>/all` and `<prefix>/<flow>` hold the kill switch. */
  readonly switchPrefix: string;
  /** The schedule only records what it would do. */
  readonly observe: boolean;
  /** Layover's own alarms that must be quiet, by flow. */
  readonly ownAlarms: Readonly<Record<string, readonly string[]>>;
  /** Event source mappings, by flow; what `pause` and `resume` switch. */
  readonly mappings: FlowMappings;
  readonly exportBucket: string | undefined;
  readonly managementUrl: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads `LAYOVER_REPLAY_TABLE`, `LAYOVER_AUDIT_TABLE`, `LAYOVER_SWITCH_PREFIX` (default
 * `/layover/<environment>/replay`), `LAYOVER_REPLAY_MODE` (`on` or `observe`, default `observe`: nothing
 * moves by itself until somebody says so), `LAYOVER_QUIET_ALARMS` (JSON, flow → names),
 * `LAYOVER_MAPPINGS` (JSON, flow → ids), `LAYOVER_EXPORT_BUCKET`, `LAYOVER_MANAGEMENT_URL`, and what every function reads.
 *
 * @throws SettingsError, BrokerConfigError
 */
export function parseReplaySettings(env: Environment): ReplaySettings {
  const settings = parseSettings(env);
  return {
    ...settings,
    vhost: env.LAYOVER_BROKER_VHOST || '/',
    replayTableName: required(env, 'LAYOVER_REPLAY_TABLE', 'the table of plans and runs'),
    auditTableName: required(env, 'LAYOVER_AUDIT_TABLE', 'the table of the audit'),
    switchPrefix: env.LAYOVER_SWITCH_PREFIX || `/layover/${settings.environment}/replay`,
    observe: modeOf(env.LAYOVER_REPLAY_MODE) === 'observe',
    ownAlarms: alarmsOf(env.LAYOVER_QUIET_ALARMS),
    mappings: parseMappings(env.LAYOVER_MAPPINGS),
    exportBucket: env.LAYOVER_EXPORT_BUCKET || undefined,
    managementUrl: env.LAYOVER_MANAGEMENT_URL || undefined,
  };
}

function required(env: Environment, name: string, what: string): string {
  const value = env[name];
  if (value) return value;
  throw new SettingsError(`${name} is missing; set it to the name of ${what}.`);
}

function modeOf(text: string | undefined): 'on' | 'observe' {
  if (!text || text === 'observe') return 'observe';
  if (text === 'on') return 'on';
  throw new SettingsError(`LAYOVER_REPLAY_MODE is '${text}'; give on or observe.`);
}

function alarmsOf(text: string | undefined): Readonly<Record<string, readonly string[]>> {
  if (!text) return {};
  const wrong = (cause?: unknown) =>
    new SettingsError(
      `LAYOVER_QUIET_ALARMS is '${text}'; give JSON such as {"orders":["alarm-name"]}.`,
      { cause },
    );
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw wrong(cause);
  }
  const fits =
    typeof parsed === 'object' &&
    parsed !== null &&
    !Array.isArray(parsed) &&
    Object.values(parsed).every(
      (names) => Array.isArray(names) && names.every((name) => typeof name === 'string'),
    );
  if (!fits) throw wrong();
  return parsed as Readonly<Record<string, readonly string[]>>;
}
