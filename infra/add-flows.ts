import { join } from 'node:path';
import { App, type Stack } from 'aws-cdk-lib';
import { buildTopology } from '../functions/topology/model.ts';
import { bundleFunctions } from './bundles.ts';
import { Layover } from './constructs/layover.ts';
import { defineEnvironment } from './environment-rules.ts';
import type {
  BrokerSettings,
  EnvironmentInput,
  EnvironmentName,
  NetworkSettings,
} from './environment-types.ts';
import { type FlowFiles, flowFileOf } from './flow-file.ts';

type Choice = 'network' | 'broker' | 'account' | 'region' | 'flows';

/** What an app says that has a broker and a network already; the rest of an environment has defaults. */
export interface AddFlowsOptions extends Partial<Omit<EnvironmentInput, Choice>> {
  /** Part of every name: `layover-<env>-<flow>`. */
  readonly env: EnvironmentName;
  readonly flows: readonly FlowFiles[];
  /** What this environment changes, by flow. */
  readonly overrides?: NonNullable<EnvironmentInput['flows']>;
  readonly network: Extract<NetworkSettings, { kind: 'given' }>;
  readonly broker: Extract<BrokerSettings, { kind: 'given' }>;
}

/**
 * Adds flows to a stack of an existing CDK app, beside a broker it has already. Account and region
 * are the stack's, and must be the broker's.
 *
 * Defaults: switched on, virtual host `/`, topology applied, users made, logs kept 30 days, nothing
 * that holds messages or claims removed with the stack, nobody told of alarms.
 * @throws EnvironmentError for what can't be deployed.
 */
export async function addFlows(stack: Stack, options: AddFlowsOptions): Promise<Layover> {
  const { env, flows: named, overrides = {}, ...input } = options;
  const app = stack.node.root;
  if (!App.isApp(app)) {
    throw new Error(
      'addFlows: the stack must be in an App, whose output folder takes the bundles.',
    );
  }
  const environment = defineEnvironment(env, {
    enabled: true,
    vhost: '/',
    topology: 'apply',
    users: { kind: 'made' },
    logRetentionDays: 30,
    removal: 'retain',
    alarms: { page: [], ticket: [] },
    ...input,
    flows: overrides,
    account: stack.account,
    region: stack.region,
  });
  const flows = named.map(({ flow }) => flow);
  const topology = buildTopology(flows);
  const files = await Promise.all(
    named.map(async (one) => ({ ...one, flowFile: await flowFileOf(one) })),
  );
  const bundles = await bundleFunctions(files, topology, join(app.outdir, 'layover-functions'));
  return new Layover(stack, 'Layover', { environment, flows, topology, bundles });
}
