import { Command } from 'commander';
import type { Wire } from '../../../functions/replay/operations/answers.ts';
import type { Plan } from '../../../functions/replay/types.ts';
import { type FilterOptions, filterOf, withFilter } from '../../operate/filter-options.ts';
import { type PaceOptions, paceOf, withPace } from '../../operate/pace-options.ts';
import { planText } from '../../operate/plan-text.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import type { Operator } from '../../operator/operator.ts';
import { print, printJson } from '../../output.ts';

interface PlanOptions extends Target, FilterOptions, PaceOptions {
  readonly discard?: true;
  readonly includeUncertain?: true;
  readonly acceptUnknown?: true;
  readonly ignoreDeadline?: true;
}

const HELP = `
Moves nothing. The plan is for the messages it saw, can be run once, and within an hour.

Examples:
  npm run -s layover -- plan orders --class transient --limit 100
  npm run -s layover -- plan orders --signature efa31b8e6fe0 --since 2h --env prod`;

export function planCommand(): Command {
  const command = new Command('plan')
    .description('what a replay would do: counts, ages, samples, what is held back; gives its id')
    .argument('<flow>', 'name of the flow')
    .option('--discard', 'a plan to remove the messages instead, as layover discard makes it')
    .option('--include-uncertain', 'also what an earlier run may have moved already')
    .option('--accept-unknown', "also what nothing says is the flow's")
    .option('--ignore-deadline', "leave the sender's deadline behind");
  return withTarget(withPace(withFilter(command)))
    .addHelpText('after', HELP)
    .action(run);
}

async function run(flow: string, options: PlanOptions): Promise<void> {
  const { includeUncertain, acceptUnknown, ignoreDeadline } = options;
  const fields = {
    action: options.discard === true ? 'discard' : 'replay',
    filter: filterOf(options, Date.now()),
    ...paceOf(options),
    ...(includeUncertain === undefined ? {} : { includeUncertain }),
    ...(acceptUnknown === undefined ? {} : { acceptUnknown }),
    ...(ignoreDeadline === undefined ? {} : { ignoreDeadline }),
  };
  await operating(options, { flow }, async (operator) => {
    say(await operator.ask('plan', { flow, ...fields }), operator, options);
  });
}

const DISCARD_HELP = `
Makes a plan, and removes nothing: running the plan does, after a confirmation. The messages are exported
before, and the audit says where to.

Example:
  npm run -s layover -- discard orders --class contract --until 1d`;

export function discardCommand(): Command {
  const command = new Command('discard')
    .description('plan to remove parked messages for good, exported before')
    .argument('<flow>', 'name of the flow');
  return withTarget(withFilter(command)).addHelpText('after', DISCARD_HELP).action(discard);
}

async function discard(flow: string, options: Target & FilterOptions): Promise<void> {
  const fields = { action: 'discard', filter: filterOf(options, Date.now()) };
  await operating(options, { flow }, async (operator) => {
    say(await operator.ask('plan', { flow, ...fields }), operator, options);
  });
}

function say(plan: Wire<Plan>, { flags }: Operator, { json }: Target): void {
  if (json) printJson(plan);
  else print(planText(plan, flags, Date.now()));
}
