import type { Answers, Wire } from '../../functions/replay/operations/answers.ts';
import type { Operator } from '../operator/operator.ts';
import { OperatorError } from '../operator/operator-error.ts';
import { layover, planCommand } from './commands.ts';
import { ago, at, who } from './words.ts';

/** What a command is about. */
export interface Topic {
  readonly flow?: string;
  /** Id of a plan or of its run. */
  readonly plan?: string;
  /** The id was given as a run's. */
  readonly isRun?: true;
}

const LOCKED = ['LOCK_HELD', 'RUN_ACTIVE', 'LEASE_LOST'];

/** The error with the exact command that helps, where there is one. Never throws. */
export async function explained(
  error: unknown,
  operator: Operator,
  topic: Topic,
): Promise<unknown> {
  if (!(error instanceof OperatorError)) return error;
  const hint = await hintOf(error, operator, topic).catch(() => undefined);
  if (hint === undefined) return error;
  // Asked of a run, the functions may still speak of the plan whose id it shares.
  const isRun = error.code === 'PLAN_UNKNOWN' && topic.isRun && topic.plan !== undefined;
  const text = isRun ? `There is no run ${topic.plan} here.` : error.message;
  return new OperatorError(error.code, `${text}\n${hint}`, { cause: error });
}

async function hintOf(
  { code }: OperatorError,
  operator: Operator,
  topic: Topic,
): Promise<string | undefined> {
  const { flags } = operator;
  if (LOCKED.includes(code)) return holder(operator, topic);
  switch (code) {
    case 'PLAN_EXPIRED':
    case 'PLAN_DAMAGED':
      return `Plan again: ${await planAgain(operator, topic)}`;
    case 'PLAN_USED':
      return `How it went: ${layover(`watch ${topic.plan ?? '<runId>'}`, flags)}\nPlan again: ${await planAgain(operator, topic)}`;
    case 'PLAN_UNKNOWN':
      return topic.isRun
        ? `Runs are of one environment; this is ${operator.environment}. Started in another one? Add its --env. Else look for it: ${layover('status', flags)}`
        : `Plans are of one environment; this is ${operator.environment}. Made in another one? Add its --env. Else plan: ${layover('plan <flow>', flags)}`;
    case 'SWITCHED_OFF':
      return switchedOff(await flowOf(operator, topic), flags);
    default:
      return undefined;
  }
}

/** The answer doesn't say whose switch it was, so both are named. */
function switchedOff(flow: string, flags: string): string {
  return [
    'Who switched it, and why:',
    `  ${layover(`audit ${flow}`, flags)}`,
    `  ${layover('audit', flags)}   (the switch of all flows)`,
    'Switch on whichever is off:',
    `  ${layover(`replay on ${flow} --reason '…'`, flags)}`,
    `  ${layover("replay on --reason '…'", flags)}`,
  ].join('\n');
}

async function planAgain(operator: Operator, topic: Topic): Promise<string> {
  if (topic.plan === undefined) return layover('plan <flow>', operator.flags);
  const { plan } = await operator.ask('watch', { run: topic.plan }, 'replay');
  return planCommand(plan, operator.flags);
}

async function flowOf(operator: Operator, { flow, plan }: Topic): Promise<string> {
  if (flow !== undefined || plan === undefined) return flow ?? '<flow>';
  return (await operator.ask('watch', { run: plan }, 'replay')).flow;
}

/** Who holds the flow's parking queue, since when, and how to see what they do. */
async function holder(operator: Operator, topic: Topic): Promise<string | undefined> {
  const flow = await flowOf(operator, topic);
  const [status] = await operator.ask('status', { flow });
  return status?.active === undefined ? undefined : holderText(status, operator.flags);
}

function holderText(
  { active, runs }: Wire<Answers['status']>[number],
  flags: string,
): string | undefined {
  if (active === undefined) return undefined;
  const since = new Date(active.sinceMs).toISOString();
  const why = runs.find(({ id }) => id === active.run)?.reason;
  return [
    `It is held by run ${active.run} of ${who(active.by)}, since ${at(since)} (${ago(since, Date.now())})${why === undefined ? '' : `: ${why}`}`,
    `See how it goes: ${layover(`watch ${active.run}`, flags)}`,
    `Stop it: ${layover(`cancel ${active.run}`, flags)}`,
  ].join('\n');
}
