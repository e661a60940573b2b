import { Command, CommanderError } from 'commander';
import { classifyCommand } from './commands/classify.ts';
import { explainCommand } from './commands/explain.ts';
import { invokeCommand } from './commands/invoke.ts';
import { newCommand } from './commands/new.ts';
import { auditCommand } from './commands/operate/audit.ts';
import { cancelCommand } from './commands/operate/cancel.ts';
import { parkedCommand } from './commands/operate/parked.ts';
import { discardCommand, planCommand } from './commands/operate/plan.ts';
import { runCommand } from './commands/operate/run.ts';
import { showCommand } from './commands/operate/show.ts';
import { statusCommand } from './commands/operate/status.ts';
import { pauseCommand, replayCommand, resumeCommand } from './commands/operate/switch.ts';
import { watchCommand } from './commands/operate/watch.ts';
import { sendCommand } from './commands/send.ts';
import { topologyCommand } from './commands/topology.ts';
import { describeFailure, EXIT } from './exit.ts';
import { print, say } from './output.ts';

const EXAMPLES = `
Start with:
  npm run -s layover -- explain orders
  npm run -s layover -- new refunds
  npm run -s layover -- invoke --help
On call:
  npm run -s layover -- status --env prod
  npm run -s layover -- parked orders --env prod

Exit codes: 0 done, 1 failed, 2 called wrongly. Of the commands for on-call also: 3 refused, 4 no
permission, 5 held by another run, 6 run over with something left, 7 run not over (docs/operate.md).`;

/** The whole command line. @returns the exit code; what there is to say has been said */
export async function layover(argv: readonly string[]): Promise<number> {
  const program = new Command('layover')
    .description('Retries, parking and guarded replay for RabbitMQ on AWS.')
    .addHelpText('after', EXAMPLES)
    .commandsGroup('Flows:')
    .addCommand(explainCommand())
    .addCommand(classifyCommand())
    .addCommand(topologyCommand())
    .addCommand(invokeCommand())
    .addCommand(sendCommand())
    .addCommand(newCommand())
    .commandsGroup('On call:')
    .addCommand(statusCommand())
    .addCommand(parkedCommand())
    .addCommand(showCommand())
    .addCommand(planCommand())
    .addCommand(discardCommand())
    .addCommand(runCommand())
    .addCommand(watchCommand())
    .addCommand(cancelCommand())
    .addCommand(auditCommand())
    .addCommand(pauseCommand())
    .addCommand(resumeCommand())
    .addCommand(replayCommand());
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .showHelpAfterError(
        `(${[...new Set(['layover', command.name()])].join(' ')} --help says more)`,
      )
      .configureOutput({
        writeOut: (text) => print(text.trimEnd()),
        writeErr: (text) => say(text.trimEnd()),
      });
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { text, exitCode } = describeFailure(error);
    say(text);
    return exitCode;
  }
}
