import { Command, CommanderError } from 'commander';
import { classifyCommand } from './commands/classify.ts';
import { explainCommand } from './commands/explain.ts';
import { invokeCommand } from './commands/invoke.ts';
import { newCommand } from './commands/new.ts';
import { sendCommand } from './commands/send.ts';
import { topologyCommand } from './commands/topology.ts';
import { describeFailure, EXIT } from './exit.ts';
import { print, say } from './output.ts';

const EXAMPLES = `
Start with:
  npm run -s layover -- explain orders
  npm run -s layover -- new refunds
  npm run -s layover -- invoke --help

Exit codes: 0 done, 1 failed, 2 called wrongly.`;

/** The whole command line. @returns the exit code; what there is to say has been said */
export async function layover(argv: readonly string[]): Promise<number> {
  const program = new Command('layover')
    .description('Retries, parking and guarded replay for RabbitMQ on AWS.')
    .addHelpText('after', EXAMPLES)
    .addCommand(explainCommand())
    .addCommand(classifyCommand())
    .addCommand(topologyCommand())
    .addCommand(invokeCommand())
    .addCommand(sendCommand())
    .addCommand(newCommand());
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
