import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildTopology } from '../functions/topology/model.ts';
import { SHARED_USERS } from './broker-permissions.ts';
import { bundleFunctions } from './bundles.ts';
import { definitionsFile } from './definitions-file.ts';
import { discoverFlows } from './discover-flows.ts';
import type { Environment } from './environment-types.ts';
import { LayoverStack } from './layover-stack.ts';

/**
 * Puts an environment's stack into an app: the flows found by folder, their functions bundled into
 * the app's output folder, a definitions file there where the broker's owner applies the topology, and cdk-nag's AwsSolutions rules as a condition for synth to succeed.
 */
export async function composeApp(app: App, environment: Environment): Promise<LayoverStack> {
  const discovered = await discoverFlows();
  const flows = discovered.map(({ flow }) => flow);
  const topology = buildTopology(flows);
  const bundles = await bundleFunctions(discovered, topology, join(app.outdir, 'functions'));
  const { account, region, name } = environment;
  const stack = new LayoverStack(app, `layover-${name}`, {
    environment,
    flows,
    topology,
    bundles,
    description: `Layover, ${name}: retries, parking and replay for RabbitMQ`,
    terminationProtection: environment.removal === 'retain',
    ...(account !== undefined && region !== undefined ? { env: { account, region } } : {}),
  });
  if (environment.topology === 'definitions') {
    const users = [...SHARED_USERS, ...flows.map((flow) => flow.name)];
    // Secrets are not read at synth: the owner makes users of these names.
    const usernames = Object.fromEntries(users.map((user) => [user, `layover-${name}-${user}`]));
    const file = join(app.outdir, `layover-${name}.definitions.json`);
    const definitions = definitionsFile(topology, environment.vhost, usernames);
    writeFileSync(file, `${JSON.stringify(definitions, null, 2)}\n`);
    console.error(`Definitions for the broker's owner: ${file}`);
  }
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
  return stack;
}
