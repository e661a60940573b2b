import { Command } from 'commander';
import { parkedText } from '../../operate/groups-text.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import { print, printJson } from '../../output.ts';

const HELP = `
Looks at every parked message and gives it back; nothing moves. A queue that a run holds can't be looked
at meanwhile (exit code 5).

Example:
  npm run -s layover -- parked orders --env prod`;

export function parkedCommand(): Command {
  const command = new Command('parked')
    .description('what is parked in a flow, by class and signature, and what automatic replay says')
    .argument('<flow>', 'name of the flow');
  return withTarget(command).addHelpText('after', HELP).action(run);
}

async function run(flow: string, options: Target): Promise<void> {
  await operating(options, { flow }, async (operator) => {
    const answer = await operator.ask('parked', { flow });
    if (options.json) return printJson(answer);
    print(parkedText(answer, operator.flags, Date.now()));
  });
}
