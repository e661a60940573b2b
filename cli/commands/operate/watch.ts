import { Command } from 'commander';
import { DurationError, parseDuration } from '../../../functions/policy/duration.ts';
import { UsageError } from '../../exit.ts';
import { layover } from '../../operate/commands.ts';
import { followAndSay } from '../../operate/follow-and-say.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import { OperatorError } from '../../operator/operator-error.ts';

interface WatchOptions extends Target {
  readonly continue?: true;
  readonly timeout: string;
}

const HELP = `
Ends when the run does: 0 when everything planned was done, 6 when not, 7 when the time to watch is over
first. With --json a line for each change, the last one being how it ended.

Example:
  npm run -s layover -- watch 3f0c… --env prod`;

export function watchCommand(): Command {
  const command = new Command('watch')
    .description('follow a run until it ends')
    .argument('<runId>', "the run's id, which is its plan's")
    .option('--continue', 'work on it, too, as the schedule does (takes the permission to replay)')
    .option('--timeout <duration>', 'watch for so long at most', '1h');
  return withTarget(command).addHelpText('after', HELP).action(run);
}

async function run(id: string, options: WatchOptions): Promise<void> {
  const timeoutMs = timeoutOf(options.timeout);
  const work = options.continue === true;
  const permission = work ? 'replay' : 'view';
  await operating(options, { plan: id, isRun: true }, async (operator) => {
    const { state, flow } = await operator.ask('watch', { run: id }, permission);
    if (state === 'planned') {
      throw new OperatorError(
        'BAD_REQUEST',
        `Plan ${id} of ${flow} was not started. Run it: ${layover(`run ${id} --reason '…'`, operator.flags)}`,
      );
    }
    const json = options.json ?? false;
    await followAndSay(operator, { run: id, work, permission, timeoutMs, json });
  });
}

function timeoutOf(text: string): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    if (!(cause instanceof DurationError)) throw cause;
    throw new UsageError(`--timeout: ${cause.message}.`, { cause });
  }
}
