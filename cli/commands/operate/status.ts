import { Command } from 'commander';
import { statusText } from '../../operate/status-text.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import { print, printJson } from '../../output.ts';

const HELP = `
Figures are of the broker's management API; ? is one it did not give, and why is said below the table.

Example:
  npm run -s layover -- status --env prod`;

export function statusCommand(): Command {
  const command = new Command('status')
    .description('how the flows stand: depths, ages, switch, pollers, runs')
    .argument('[flow]', 'of one flow only');
  return withTarget(command).addHelpText('after', HELP).action(run);
}

async function run(flow: string | undefined, options: Target): Promise<void> {
  const about = flow === undefined ? {} : { flow };
  await operating(options, about, async (operator) => {
    const statuses = await operator.ask('status', about);
    if (options.json) return printJson(statuses);
    print(statusText(statuses, operator.flags, Date.now()));
  });
}
