import { brokerConfig } from '../broker/config.ts';
import type { BrokerConfig } from '../broker/types.ts';

/** What a function is told by its environment, parsed once. */
export interface Settings {
  readonly environment: string;
  readonly broker: BrokerConfig;
  /** DynamoDB table of claims; absent: no idempotency, and counts alone convict. */
  readonly tableName?: string;
  /** DynamoDB table of replay's plans and runs; absent: nobody asks how replayed messages ended. */
  readonly replayTableName?: string;
  /** How many times faster than real the schedule runs; 1 in every deployment. */
  readonly timeScale: number;
}

export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly code = 'SETTINGS';
}

/** Reads the settings from environment variables; a wrong one is named with its value and the way out. */
export function parseSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const tableName = env.LAYOVER_TABLE;
  const replayTableName = env.LAYOVER_REPLAY_TABLE;
  return {
    environment: env.LAYOVER_ENVIRONMENT || 'local',
    broker: brokerConfig(env),
    ...(tableName ? { tableName } : {}),
    ...(replayTableName ? { replayTableName } : {}),
    timeScale: timeScaleOf(env.LAYOVER_TIME_SCALE, env),
  };
}

function timeScaleOf(text: string | undefined, env: Readonly<Record<string, string | undefined>>) {
  if (text === undefined || text === '') return 1;
  const scale = Number(text);
  if (!Number.isFinite(scale) || scale < 1) {
    throw new SettingsError(
      `LAYOVER_TIME_SCALE is '${text}'; give a number of 1 or more, or leave it out for real time.`,
    );
  }
  if (scale !== 1 && env.AWS_LAMBDA_FUNCTION_NAME && !env.AMQP_URL) {
    throw new SettingsError(
      `LAYOVER_TIME_SCALE is '${text}' in a deployed function; only local runs may scale time. Remove it.`,
    );
  }
  return scale;
}
