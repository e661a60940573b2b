import { Command } from 'commander';
import { describeTopology } from '../../functions/topology/describe.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { discoverFlows } from '../../infra/discover-flows.ts';
import { flowNamed } from '../flows.ts';
import { print, printJson } from '../output.ts';

const HELP = `
Example:
  npm run -s layover -- topology --flow orders`;

export function topologyCommand(): Command {
  return new Command('topology')
    .description('the exchanges, queues and arguments that the flows need')
    .option('--flow <flow>', 'of one flow only')
    .option('--json', 'the model as JSON')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(options: { flow?: string; json?: true }): Promise<void> {
  const found = options.flow ? [await flowNamed(options.flow)] : await discoverFlows();
  const topology = buildTopology(found.map(({ flow }) => flow));
  if (options.json) return printJson(topology);
  print(describeTopology(topology));
}
