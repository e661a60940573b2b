import { Command } from 'commander';
import { UsageError } from '../../exit.ts';
import { layover } from '../../operate/commands.ts';
import { confirm } from '../../operate/confirm.ts';
import { followAndSay } from '../../operate/follow-and-say.ts';
import { type PaceOptions, paceOf, withPace } from '../../operate/pace-options.ts';
import { planHeadline } from '../../operate/plan-text.ts';
import { reasonOf } from '../../operate/reason.ts';
import { runJson } from '../../operate/run-text.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import { print, printJson } from '../../output.ts';

interface RunOptions extends Target, PaceOptions {
  readonly reason?: string;
  readonly ticket?: string;
  readonly yes?: true;
  readonly detach?: true;
}

const HELP = `
Runs a plan once and watches it. A ramp moves 1, then 10, then 100 messages, and looks at their outcome
between; one that fails again halts the run. Ctrl-C ends the watching, not the run.

Exit code 6: not everything that was planned was done, or how it ended is not known. With --json a line for each change, as of watch.

Examples:
  npm run -s layover -- run 3f0c… --reason 'payments are back' --ticket INC-7
  npm run -s layover -- run 3f0c… --reason 'fixed in 1.4.2' --rate 50/s --env prod`;

/** A run of a million messages at a modest rate. */
const WATCH_MS = 24 * 3_600_000;

export function runCommand(): Command {
  const command = new Command('run')
    .description('run a plan, with who and why, and watch it')
    .argument('<planId>', 'the id a plan was given')
    .usage("<planId> --reason '…' [options]")
    .option('--reason <text>', 'why these messages move; kept in the audit; needed')
    .option('--ticket <id>', 'the incident or ticket it belongs to')
    .option('--yes', 'confirmed beforehand')
    .option('--detach', 'start it and leave it to the schedule');
  return withTarget(withPace(command)).addHelpText('after', HELP).action(run);
}

async function run(id: string, options: RunOptions): Promise<void> {
  const { ticket, json = false, yes = false } = options;
  const reason = reasonOf(options.reason);
  if (ticket !== undefined && ticket.trim() === '') {
    throw new UsageError('--ticket is empty; give the id of a ticket, or leave it.');
  }
  const pace = paceOf(options);
  await operating(options, { plan: id }, async (operator) => {
    const planned = await operator.ask('watch', { run: id }, 'replay');
    const { plan } = planned;
    if (planned.state === 'planned') {
      const always = plan.action === 'discard';
      await confirm(operator, planHeadline(plan), { yes, always });
    }
    const { run: started } = await operator.ask('run', {
      plan: id,
      reason,
      ...(ticket === undefined ? {} : { ticket }),
      ...pace,
      patienceMs: 0,
    });
    if (options.detach) {
      if (json) return printJson(runJson(started));
      const watch = layover(`watch ${id}`, operator.flags);
      return print(`Run ${id} of ${plan.flow} was started; the schedule works on it.\n${watch}`);
    }
    const following = { run: id, work: true, permission: 'replay', json } as const;
    await followAndSay(operator, { ...following, timeoutMs: WATCH_MS });
  });
}
