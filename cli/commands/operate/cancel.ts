import { Command } from 'commander';
import { layover } from '../../operate/commands.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import { print, printJson } from '../../output.ts';

const HELP = `
Stops between two messages: what was moved stays moved, the rest stays parked. Needs no confirmation.

Example:
  npm run -s layover -- cancel 3f0c… --env prod`;

export function cancelCommand(): Command {
  const command = new Command('cancel')
    .description('stop a run, or give up a plan')
    .argument('<runId>', "the run's id, which is its plan's");
  return withTarget(command).addHelpText('after', HELP).action(run);
}

async function run(id: string, options: Target): Promise<void> {
  await operating(options, { plan: id, isRun: true }, async (operator) => {
    const { asked } = await operator.ask('cancel', { run: id });
    if (options.json) return printJson({ run: id, asked });
    print(
      asked
        ? `Run ${id} was asked to stop.\n${layover(`watch ${id}`, operator.flags)}`
        : `Run ${id} is over already; nothing was stopped.`,
    );
  });
}
