import type { Command } from 'commander';
import { suggest } from '../../functions/policy/suggest.ts';
import { discoverFlows } from '../../infra/discover-flows.ts';
import { ENVIRONMENT_NAMES } from '../../infra/environment-types.ts';
import { environments } from '../../infra/environments.ts';
import { UsageError } from '../exit.ts';
import type { Operator } from '../operator/operator.ts';
import { explained, type Topic } from './explain-error.ts';

/** Where a command goes, and how it answers. */
export interface Target {
  readonly env?: string;
  readonly region?: string;
  readonly amqp?: string;
  readonly json?: true;
}

/** Adds the options every command of an on-call engineer has. */
export function withTarget(command: Command): Command {
  return command
    .option('--env <environment>', 'a deployed environment, with your AWS credentials')
    .option('--region <region>', 'its region (default: infra/environments.ts, else AWS_REGION)')
    .option('--amqp <url>', 'a broker, for local use (default: AMQP_URL, else the local run)')
    .option('--json', 'JSON for programs; its shape is in docs/operate.md');
}

/**
 * Opens what the command works on, and closes it again. What goes wrong is said with the way out.
 * @param topic what the command is about, for the words of an error
 */
export async function operating<T>(
  target: Target,
  topic: Topic,
  use: (operator: Operator) => Promise<T>,
): Promise<T> {
  const operator = await openOperator(target);
  try {
    return await use(operator);
  } catch (error) {
    throw await explained(error, operator, topic);
  } finally {
    await operator.close();
  }
}

async function openOperator({ env, region, amqp }: Target): Promise<Operator> {
  if (env === undefined) {
    if (region !== undefined) {
      throw new UsageError('--region is of a deployed environment: add --env <name>, or leave it.');
    }
    const { localOperator } = await import('../operator/local-operator.ts');
    return localOperator(amqp);
  }
  if (amqp !== undefined) {
    throw new UsageError('Give --env for a deployed environment or --amqp for a broker, not both.');
  }
  const found = ENVIRONMENT_NAMES.find((name) => name === env);
  if (found === undefined) {
    const meant = suggest(env, ENVIRONMENT_NAMES);
    const question = meant === undefined ? '' : ` Did you mean ${meant}?`;
    const names = ENVIRONMENT_NAMES.join(', ');
    throw new UsageError(`--env is '${env}'; there are: ${names}.${question}`);
  }
  const { remoteOperator } = await import('../operator/remote-operator.ts');
  const flows = (await discoverFlows()).map(({ flow }) => flow.name);
  return remoteOperator({
    environment: env,
    region: region ?? environments[found].region,
    flags: ` --env ${env}${region === undefined ? '' : ` --region ${region}`}`,
    flows,
  });
}
