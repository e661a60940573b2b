import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningLocalRun, runningLocalRuns } from '../../infra/local/running.ts';
import { OperatorError } from './operator-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LocalSurroundings {
  /** To be set beside what the process has. */
  readonly env: Readonly<Record<string, string>>;
  /** Switch, exports and pollers are kept here. */
  readonly stateFolder: string;
  /** The flows of the local run; undefined: all of the project. */
  readonly flows: readonly string[] | undefined;
}

const OWN_STATE = fileURLToPath(
  new URL('../../node_modules/.cache/layover/own-broker/', import.meta.url),
);
const TABLES = ['LAYOVER_REPLAY_TABLE', 'LAYOVER_AUDIT_TABLE'] as const;

/**
 * What commands work on without `--env`: the broker that is named (`--amqp`, `AMQP_URL`) with the tables
 * the environment names, or those of the local run on that broker; without a named one, the local run
 * that is up.
 * @throws OperatorError `NO_LOCAL_REPLAY`
 */
export async function localSurroundings(
  amqp: string | undefined,
  env: Environment,
  running: () => Promise<readonly RunningLocalRun[]> = runningLocalRuns,
): Promise<LocalSurroundings> {
  const url = amqp ?? (env.AMQP_URL?.trim() || undefined);
  if (url !== undefined && TABLES.every((name) => env[name])) {
    const stateFolder = env.LAYOVER_LOCAL_STATE || OWN_STATE;
    return { env: brokerOf(url, env), stateFolder, flows: undefined };
  }
  const runs = await running();
  const run = runs.find(({ amqpUrl }) => url === undefined || amqpUrl === url);
  if (run === undefined) throw nothingUp(url);
  const missing = TABLES.filter((name) => run.env[name] === undefined);
  if (missing.length > 0) {
    throw new OperatorError(
      'NO_LOCAL_REPLAY',
      `The local run that is up (process ${run.pid}) has no replay (${missing.join(', ')} missing). End it and start it anew: npm start -- --keep`,
    );
  }
  return {
    env: { ...run.env, ...brokerOf(run.amqpUrl, run.env) },
    stateFolder: run.env.LAYOVER_LOCAL_STATE ?? join(OWN_STATE, `${run.pid}`),
    flows: run.flows,
  };
}

/** The virtual host is part of the URL; the management API wants it by itself. */
function brokerOf(url: string, env: Environment): Readonly<Record<string, string>> {
  const path = URL.canParse(url) ? new URL(url).pathname : '';
  const vhost = env.LAYOVER_BROKER_VHOST || decodeURIComponent(path.slice(1)) || '/';
  return { AMQP_URL: url, LAYOVER_BROKER_VHOST: vhost };
}

function nothingUp(url: string | undefined): OperatorError {
  if (url === undefined) {
    return new OperatorError(
      'NO_LOCAL_REPLAY',
      'No local run is up. Run in another terminal: npm start -- --keep\nFor a deployed environment add --env <name>; for a broker of your own set AMQP_URL, LAYOVER_REPLAY_TABLE and LAYOVER_AUDIT_TABLE.',
    );
  }
  return new OperatorError(
    'NO_LOCAL_REPLAY',
    'Replay on this broker needs its tables: set LAYOVER_REPLAY_TABLE and LAYOVER_AUDIT_TABLE (and AWS_ENDPOINT_URL_DYNAMODB for a local DynamoDB). No local run is up on it either.',
  );
}
