#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { classifyCommand } from './commands/classify.ts';
import { explainCommand } from './commands/explain.ts';
import { invokeCommand } from './commands/invoke.ts';
import { newCommand } from './commands/new.ts';
import { sendCommand } from './commands/send.ts';
import { topologyCommand } from './commands/topology.ts';
import { describeFailure, EXIT } from './exit.ts';

const program = new Command('layover')
  .description('Retries, parking and guarded replay for RabbitMQ on AWS.')
  .showHelpAfterError('(layover --help lists the commands)')
  .exitOverride()
  .addCommand(explainCommand())
  .addCommand(classifyCommand())
  .addCommand(topologyCommand())
  .addCommand(invokeCommand())
  .addCommand(sendCommand())
  .addCommand(newCommand());
for (const command of program.commands) command.exitOverride().showHelpAfterError();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  } else {
    const { text, exitCode } = describeFailure(error);
    console.error(text);
    process.exitCode = exitCode;
  }
}
