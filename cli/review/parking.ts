import { formatDuration } from '../../functions/policy/duration.ts';
import { parkedQueueName } from '../../functions/topology/names.ts';
import { flowPermissions } from '../../infra/broker-permissions.ts';
import { listed, type Reviewed, type Topic, when } from './topic.ts';

/** Who owns parking. */
export function whoOwnsParking({ flow }: Reviewed): Topic {
  const severity = flow.critical ? 'page' : 'ticket';
  return {
    id: 'who-owns-parking',
    question: 'Who owns the parking queue?',
    answers: [
      `${flow.owner} owns \`${parkedQueueName(flow.queue)}\`, for what the policy parks and for the broker's own dead letters of this flow alike. Runbook: ${flow.runbook}`,
      `While messages rest there: ${flow.impact}`,
      `Told by a ticket at the first parked message and after ${formatDuration(flow.parking.maxAgeMs)} of the oldest; by a ${severity} when many come at once, when credentials are refused, and when the broker itself gave up. Thresholds are changed per environment.`,
    ],
    attention: when([
      !flow.critical,
      'The flow is not critical: nobody is woken at night for it, whatever happens.',
    ]),
    facts: {
      owner: flow.owner,
      runbook: flow.runbook,
      queue: parkedQueueName(flow.queue),
      critical: flow.critical,
      alarmAgeMs: flow.parking.maxAgeMs,
    },
  };
}

/** How long messages are kept, and how they leave. */
export function retention({ flow, topology }: Reviewed): Topic {
  const parked = topology.queues.find(({ role }) => role === 'parked');
  const table = parked?.arguments ?? {};
  const expires = 'x-message-ttl' in table || 'x-expires' in table;
  const leaves = 'x-dead-letter-exchange' in table;
  return {
    id: 'retention',
    question: 'How long is a parked message kept?',
    answers: [
      expires || leaves
        ? 'Until the queue itself removes it.'
        : 'For ever: no TTL, no length limit of ours, nothing leaves by itself. It leaves by replay, or by a discard that was planned, said why and exported first.',
      'Looking does not wear it out: the delivery limit is one that is never reached.',
      `Full (by a policy of the broker, or its disk): copies are refused and messages stay in \`${flow.queue}\`; nothing is dropped.`,
    ],
    attention: when(
      [expires || leaves, 'Parked messages can go away without anybody having seen them.'],
      [
        true,
        'Kept for ever includes personal data: whoever must delete it after a time has to discard what is older.',
      ],
    ),
    facts: { expires, leaves, arguments: table },
  };
}

/** Who may replay, by whom and by what it is held back. */
export function whoMayReplay({ flow, topology }: Reviewed): Topic {
  const { replay, schedule, parking } = flow;
  const by = replay.automatic.length > 0;
  const { read } = flowPermissions(topology, flow.name);
  const dayMs = 86_400_000;
  const keptMs = schedule.maxElapsedMs + replay.maxAgeMs + dayMs;
  return {
    id: 'who-may-replay',
    question: 'Who may replay?',
    answers: [
      by
        ? `By itself: ${listed(replay.automatic)}, between ${formatDuration(replay.minAgeMs)} and ${formatDuration(replay.maxAgeMs)} old, at most ${replay.lifetimeCap} times each, ${replay.batch} a run, ${replay.hourlyBudget} an hour, ${replay.ratePerSecond} a second, never while \`${flow.queue}\` holds more than ${replay.workDepthCeiling} or an alarm is not quiet.`
        : 'By itself: nothing. The flow allows no class.',
      ...when(
        [
          by && replay.quietAlarms.length > 0,
          `Quiet must be, besides Layover's own: ${listed(replay.quietAlarms)}.`,
        ],
        [
          by && replay.stillWanted !== undefined,
          'The flow is asked whether each message is still wanted.',
        ],
      ),
      'By hand: people with the environment’s permission to replay, with a plan first and a reason; who they are is verified and recorded. Reading bodies is a permission of its own.',
      `The flow's function can not: its broker user reads ${read} and nothing else.`,
    ],
    attention: when(
      [
        by && replay.maxAgeMs < parking.maxAgeMs,
        `A message is too old for automatic replay (${formatDuration(replay.maxAgeMs)}) before its age raises the alarm (${formatDuration(parking.maxAgeMs)}).`,
      ],
      [
        by && !flow.idempotency.enabled,
        'Automatic replay without idempotency: what was done before its message was parked is done again.',
      ],
      [
        flow.idempotency.enabled,
        `What was done is remembered for ${formatDuration(keptMs)}; replayed later, a message that was in fact done is done again.`,
      ],
    ),
    facts: {
      automatic: replay.automatic,
      minAgeMs: replay.minAgeMs,
      maxAgeMs: replay.maxAgeMs,
      lifetimeCap: replay.lifetimeCap,
      hourlyBudget: replay.hourlyBudget,
      rememberedMs: flow.idempotency.enabled ? keptMs : 0,
      functionReads: read,
    },
  };
}
