import { formatDuration } from '../../functions/policy/duration.ts';
import { scheduledDelayMs, topDelayMs, totalWaitMs } from '../../functions/policy/schedule.ts';
import type { ClassPolicy, Flow, Schedule } from '../../functions/policy/types.ts';
import { classesWith, listed, type Reviewed, type Topic, when } from './topic.ts';

/** What is retried, and what is not. */
export function whatIsRetried({ flow }: Reviewed): Topic {
  const retried = Object.entries(flow.verdicts).flatMap(([name, policy]) => {
    const retries = retriesOf(policy, flow.schedule);
    return retries > 0 ? [{ name, retries }] : [];
  });
  const parked = Object.keys(flow.verdicts).filter(
    (name) => !retried.some((one) => one.name === name) && isParked(flow, name),
  );
  const discarded = classesWith(flow, 'discard');
  return {
    id: 'what-is-retried',
    question: 'What is retried?',
    answers: [
      `Retried: ${listed(retried.map(({ name, retries }) => `${name} (${times(retries)})`))}.`,
      `Parked at once: ${listed(parked)}.`,
      ...when(
        [discarded.length > 0, `Discarded: ${listed(discarded)}.`],
        [
          flow.rules.length > 0,
          `The flow's own rules come first: ${listed(flow.rules.map((rule) => `${rule.name} → ${rule.class}`))}.`,
        ],
        [true, 'The class is decided by what the handler threw; see `layover classify`.'],
      ),
    ],
    attention: when(
      [
        discarded.length > 0,
        `Of a discarded message (${listed(discarded)}) nothing remains but a log line.`,
      ],
      [
        ['invalid', 'contract', 'bug', 'security'].some((name) =>
          retried.some((one) => one.name === name),
        ),
        'Failures that time alone rarely heals (invalid, contract, bug, security) are retried.',
      ],
    ),
    facts: {
      retried: Object.fromEntries(retried.map((o) => [o.name, o.retries])),
      parked,
      discarded,
    },
  };
}

/** How often, replays included. */
export function howOften({ flow }: Reviewed): Topic {
  const { maxAttempts } = flow.schedule;
  const { automatic, lifetimeCap } = flow.replay;
  const lives = 1 + (automatic.length > 0 ? lifetimeCap : 0);
  return {
    id: 'how-often',
    question: 'How often?',
    answers: [
      `At most ${runs(maxAttempts)} of the handler that end in a failure; then it is parked.`,
      ...when([
        automatic.length > 0,
        `Automatic replay starts again at attempt 1, at most ${times(lifetimeCap)}: ${runs(maxAttempts * lives)} in all.`,
      ]),
      'A run that a crash cut off is not counted: it is repeated alone, and a second one that never ends parks the message as poison.',
      'Deferrals (no time left, a wait longer than the longest tier) are no attempts.',
    ],
    attention: when([
      maxAttempts > 10,
      `${maxAttempts} attempts mean ${maxAttempts} calls of the downstream for each message while it is down.`,
    ]),
    facts: { maxAttempts, automaticReplays: lives - 1, maxRuns: maxAttempts * lives },
  };
}

/** How long, waits and caps. */
export function howLong({ flow: { schedule, handlerTimeoutMs } }: Reviewed): Topic {
  const { plainMs, slowestMs } = totalWaitMs(schedule);
  const delays = Array.from({ length: Math.min(schedule.maxAttempts - 1, 8) }, (_, i) =>
    formatDuration(scheduledDelayMs(schedule, i + 1)),
  );
  const more = schedule.maxAttempts - 1 > delays.length ? ', …' : '';
  return {
    id: 'how-long',
    question: 'How long?',
    answers: [
      delays.length === 0
        ? 'No waits: a failure parks.'
        : `Waits of ${delays.join(', ')}${more}: ${formatDuration(plainMs)} in all${slowestMs > plainMs ? `, up to ${formatDuration(slowestMs)} with jitter` : ''}, and the time spent in queue and handler.`,
      `A run of the handler ends after ${formatDuration(handlerTimeoutMs)}.`,
      `A Retry-After of the downstream lengthens a wait to at most ${formatDuration(schedule.maxRetryAfterMs)}.`,
      `A message is parked ${formatDuration(schedule.maxElapsedMs)} after its first failure or deferral, whatever is left.`,
    ],
    attention: when(
      [
        slowestMs > schedule.maxElapsedMs,
        `The waits add up to more than maxElapsed: the last attempts never run.`,
      ],
      [
        schedule.maxAttempts > 1 && topDelayMs(schedule) < 60_000,
        'No wait is as long as a minute: a restart of the downstream takes longer.',
      ],
    ),
    facts: {
      totalWaitMs: plainMs,
      totalWaitWithJitterMs: slowestMs,
      maxElapsedMs: schedule.maxElapsedMs,
      maxRetryAfterMs: schedule.maxRetryAfterMs,
      handlerTimeoutMs,
    },
  };
}

/** Where the count lives. */
export function whereTheCountLives({ flow }: Reviewed): Topic {
  return {
    id: 'where-the-count-lives',
    question: 'Where does the count live?',
    answers: [
      'In the message: `x-retry-count` (retries since the last replay) and `x-replay-count`, which never goes back. Nothing else has to be in step with it.',
      'Not in `x-death` (RabbitMQ 4 ignores a copy’s) and not in the broker’s delivery count, which rises when nobody is to blame.',
      'That a run began is in the claims table, so that a message which kills the function is recognised.',
    ],
    attention: when([
      flow.queueMode === 'existing',
      'The queue is somebody else’s: whoever may publish to it may send `x-retry-count`, which is read and clamped, so a message can arrive with fewer retries left.',
    ]),
    facts: { retries: 'x-retry-count', replays: 'x-replay-count' },
  };
}

/** Retries the schedule and the class's own cap allow. */
function retriesOf(policy: ClassPolicy, { maxAttempts }: Schedule): number {
  if (policy.action !== 'retry') return 0;
  return Math.min(policy.maxRetries ?? Number.POSITIVE_INFINITY, maxAttempts - 1);
}

function isParked(flow: Flow, name: string): boolean {
  const policy = Object.entries(flow.verdicts).find(([known]) => known === name)?.[1];
  return policy?.action === 'park' || policy?.action === 'retry';
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function runs(count: number): string {
  return count === 1 ? '1 run' : `${count} runs`;
}
