import { Argument, Command } from 'commander';
import { SWITCH_STATES, type SwitchState } from '../../../functions/replay/guards.ts';
import { confirm } from '../../operate/confirm.ts';
import { pausedText } from '../../operate/paused-text.ts';
import { brakeReasonOf, reasonOf } from '../../operate/reason.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import { print, printJson, say } from '../../output.ts';

interface SwitchOptions extends Target {
  readonly reason?: string;
  readonly yes?: true;
}

/** What each state of the switch lets happen. */
const MEANING: Readonly<Record<SwitchState, string>> = {
  on: 'people and the schedule may replay',
  observe: 'people may replay, the schedule only records what it would do',
  manual: 'people may replay, the schedule does nothing',
  off: 'nothing is replayed; a run under way stops',
};

const REPLAY_HELP = `
${SWITCH_STATES.map((state) => `  ${state.padEnd(8)} ${MEANING[state]}`).join('\n')}

Without a flow: of all flows. The stricter of both counts. Anything but off needs a reason and is confirmed
where deployed; off works without either.

Examples:
  npm run -s layover -- replay off --reason 'payments are down' --env prod
  npm run -s layover -- replay on orders --reason 'payments are back' --env prod`;

export function replayCommand(): Command {
  const command = new Command('replay')
    .description('switch replay on, off, or to less, for a flow or all')
    .addArgument(new Argument('<state>', 'what may be replayed').choices(SWITCH_STATES))
    .argument('[flow]', 'name of the flow')
    .usage("<state> [flow] --reason '…' [options]")
    .option('--reason <text>', 'why; kept in the audit; off works without one')
    .option('--yes', 'confirmed beforehand');
  return withTarget(command).addHelpText('after', REPLAY_HELP).action(setSwitch);
}

async function setSwitch(
  state: SwitchState,
  flow: string | undefined,
  options: SwitchOptions,
): Promise<void> {
  const reason = state === 'off' ? brakeReasonOf(options.reason) : reasonOf(options.reason);
  const about = flow === undefined ? {} : { flow };
  await operating(options, about, async (operator) => {
    const whose = flow ?? 'all flows';
    const question = `Replay of ${whose} in ${operator.environment}: ${state}, ${MEANING[state]}.`;
    // A brake must not ask.
    if (state !== 'off') await confirm(operator, question, { yes: options.yes ?? false });
    const answer = await operator.ask('switch', { ...about, state, reason });
    if (options.json) printJson(answer);
    else print(`Replay of ${whose} is ${state}: ${MEANING[state]}.`);
    if (flow === undefined || state === 'off') return;
    const paused = await pausedText(operator, flow);
    if (paused !== undefined) say(paused);
  });
}

const PAUSE_HELP = `
Its messages stay where they are: nothing is read from its queue, and nothing is replayed to it. Lambda
takes up to a minute or two to stop reading; layover status shows it.

Example:
  npm run -s layover -- pause orders --reason 'a bad deployment' --env prod`;

export function pauseCommand(): Command {
  const command = new Command('pause')
    .description('stop a flow: its pollers, and replay to it')
    .argument('<flow>', 'name of the flow')
    .option('--reason <text>', 'why; kept in the audit; works without one')
    .usage("<flow> [--reason '…'] [options]")
    .option('--yes', 'confirmed beforehand');
  return withTarget(command)
    .addHelpText('after', PAUSE_HELP)
    .action((flow: string, options: SwitchOptions) => turn('pause', flow, options));
}

const RESUME_HELP = `
Its pollers read again, and replay is on, automatic replay too.

Example:
  npm run -s layover -- resume orders --reason 'rolled back' --env prod`;

export function resumeCommand(): Command {
  const command = new Command('resume')
    .description('let a paused flow go on')
    .argument('<flow>', 'name of the flow')
    .option('--reason <text>', 'why; kept in the audit; needed')
    .usage("<flow> --reason '…' [options]")
    .option('--yes', 'confirmed beforehand');
  return withTarget(command)
    .addHelpText('after', RESUME_HELP)
    .action((flow: string, options: SwitchOptions) => turn('resume', flow, options));
}

async function turn(
  which: 'pause' | 'resume',
  flow: string,
  options: SwitchOptions,
): Promise<void> {
  const reason = which === 'pause' ? brakeReasonOf(options.reason) : reasonOf(options.reason);
  await operating(options, { flow }, async (operator) => {
    const does =
      which === 'pause' ? 'stops reading its queue and' : 'starts reading its queue again and';
    const replays = which === 'pause' ? 'nothing is replayed to it' : 'replay to it is on';
    const question = `${which} ${flow} in ${operator.environment}: it ${does} ${replays}.`;
    await confirm(operator, question, { yes: options.yes ?? false });
    const answer = await operator.ask(which, { flow, reason });
    if (options.json) return printJson(answer);
    const states = answer.pollers.map(({ id, state }) => `${id} ${state}`).join(', ');
    print(`${flow}: pollers ${states || 'none'}; replay ${answer.switch}.`);
  });
}
