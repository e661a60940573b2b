import { Command } from 'commander';
import { formatDuration } from '../../functions/policy/duration.ts';
import { scheduledDelayMs, totalWaitMs } from '../../functions/policy/schedule.ts';
import type { ClassPolicy, Flow, Schedule } from '../../functions/policy/types.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { flowNamed } from '../flows.ts';
import { printJson, textTable } from '../output.ts';
import { printReview } from './review.ts';

export function explainCommand(): Command {
  return new Command('explain')
    .description('what a flow does with a failed message: schedule, classes, queues')
    .argument('<flow>', 'name of the flow')
    .option('--review', 'what a reviewer asks of retries and of a dead-letter queue, answered')
    .option('--json', 'the same as one JSON value')
    .action(run);
}

async function run(name: string, options: { json?: true; review?: true }): Promise<void> {
  const { flow } = await flowNamed(name);
  if (options.review) return printReview(flow, options.json ?? false);
  const explained = explain(flow);
  if (options.json) return printJson(explained);
  console.log(inWords(flow, explained));
}

/** Everything the definition implies, as data. Times in milliseconds. */
export function explain(flow: Flow) {
  const { schedule } = flow;
  const { plainMs, slowestMs } = totalWaitMs(schedule);
  return {
    flow: flow.name,
    owner: flow.owner,
    impact: flow.impact,
    attempts: attemptsOf(schedule),
    totalWaitMs: plainMs,
    totalWaitWithJitterMs: slowestMs,
    maxElapsedMs: schedule.maxElapsedMs,
    maxRetryAfterMs: schedule.maxRetryAfterMs,
    classes: Object.fromEntries(
      Object.entries(flow.verdicts).map(([name, policy]) => [name, policy]),
    ) as Readonly<Record<string, ClassPolicy>>,
    rules: flow.rules.map(({ name, class: failureClass }) => ({ name, class: failureClass })),
    idempotency: flow.idempotency.enabled,
    queues: buildTopology([flow]).queues.map(({ name, role, delayMs }) => ({
      name,
      role,
      delayMs,
    })),
  };
}

function attemptsOf(schedule: Schedule) {
  const attempts = [{ attempt: 1, waitMs: 0, atMs: 0 }];
  let atMs = 0;
  for (let retry = 1; retry < schedule.maxAttempts; retry++) {
    const waitMs = scheduledDelayMs(schedule, retry);
    atMs += waitMs;
    attempts.push({ attempt: retry + 1, waitMs, atMs });
  }
  return attempts;
}

type Explained = ReturnType<typeof explain>;

function inWords(flow: Flow, explained: Explained): string {
  const { schedule } = flow;
  const jitter =
    explained.totalWaitWithJitterMs > explained.totalWaitMs
      ? `, up to ${formatDuration(explained.totalWaitWithJitterMs)} with jitter`
      : '';
  const sections = [
    `${flow.name}  (${flow.owner})`,
    `When it stands still: ${flow.impact}`,
    '',
    `Schedule: ${schedule.maxAttempts} attempts over ${formatDuration(explained.totalWaitMs)}${jitter}.`,
    textTable(
      ['attempt', 'after a wait of', 'at'],
      shortened(explained.attempts).map((row) =>
        row === undefined
          ? ['…', '', '']
          : [
              `${row.attempt}`,
              row.waitMs === 0 ? '-' : formatDuration(row.waitMs),
              formatDuration(row.atMs),
            ],
      ),
    ),
    `Everything ends after ${formatDuration(schedule.maxElapsedMs)}, waits and deferrals included.`,
    `A Retry-After of the downstream is a floor, up to ${formatDuration(schedule.maxRetryAfterMs)}.`,
    '',
    'By class of failure:',
    textTable(
      ['class', 'what happens'],
      Object.entries(explained.classes).map(([name, policy]) => [
        name,
        policyInWords(policy, schedule),
      ]),
    ),
    ...(explained.rules.length > 0
      ? [
          '',
          "The flow's own rules, asked first:",
          textTable(
            ['rule', 'class'],
            explained.rules.map((rule) => [rule.name, rule.class]),
          ),
        ]
      : []),
    '',
    `Idempotency: ${flow.idempotency.enabled ? 'a message that was done is not done twice' : 'off; a message sent twice is processed twice'}.`,
    '',
    'Queues:',
    textTable(
      ['queue', 'role', 'waits'],
      explained.queues.map(({ name, role, delayMs }) => [
        name,
        role,
        delayMs === undefined ? '' : formatDuration(delayMs),
      ]),
    ),
  ];
  return sections.join('\n');
}

/** A schedule of a hundred attempts is told by its ends. */
function shortened<T>(rows: readonly T[]): (T | undefined)[] {
  return rows.length <= 12 ? [...rows] : [...rows.slice(0, 8), undefined, ...rows.slice(-2)];
}

function policyInWords(policy: ClassPolicy, schedule: Schedule): string {
  switch (policy.action) {
    case 'park':
      return 'parked at once';
    case 'discard':
      return 'discarded, logged and counted';
    case 'acknowledge':
      return 'acknowledged: the work was done before';
    case 'retry': {
      const retries = Math.min(
        policy.maxRetries ?? Number.POSITIVE_INFINITY,
        schedule.maxAttempts - 1,
      );
      const first = scheduledDelayMs(schedule, 1, policy.fromTier ?? 0);
      const times = retries === 1 ? 'once' : `${retries} times`;
      return retries === 0
        ? 'parked (no retries left by the schedule)'
        : `retried ${times}, first after ${formatDuration(first)}, then parked`;
    }
  }
}
