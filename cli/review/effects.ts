import { formatDuration } from '../../functions/policy/duration.ts';
import { classesWith, type Reviewed, type Topic, when } from './topic.ts';

/** Whether order is at risk. */
export function order({ flow }: Reviewed): Topic {
  const retries = flow.schedule.maxAttempts > 1 && classesWith(flow, 'retry').length > 0;
  const together = Math.min(flow.parallelism, flow.batch.size);
  const kept = !retries && together === 1;
  return {
    id: 'order',
    question: 'Is order at risk?',
    answers: [
      ...when(
        [retries, 'A retry comes back behind everything that arrived while it waited.'],
        [together > 1, `Up to ${together} messages are handled at the same time.`],
        [kept, 'In the good case it is kept: one message at a time, and nothing is retried.'],
      ),
      'After a crash, messages of the batch take a detour, one at a time, and younger ones may overtake them.',
      'A replay keeps the order of what it moves among itself.',
    ],
    attention: when(
      [!kept, 'Order is not kept. A handler that depends on it must compare versions itself.'],
      [kept, 'Order is kept only while nothing is parked, replayed or crashes.'],
    ),
    facts: { keptWithoutFailures: kept, handledTogether: together, retries },
  };
}

/** Whether side effects are at risk. */
export function sideEffects({ flow }: Reviewed): Topic {
  const { enabled, key } = flow.idempotency;
  const keyed = key === undefined ? 'its `messageId`' : "the flow's key function";
  return {
    id: 'side-effects',
    question: 'Can a side effect happen twice?',
    answers: enabled
      ? [
          `A message that was done is not handled again; it is recognised by ${keyed}.`,
          'One gap no store can close: the process dies between the side effect and its record. Only a downstream that honours `idempotencyKey`, the same over retries and replays, makes that single.',
          `A run is told to stop after ${formatDuration(flow.handlerTimeoutMs)} by its \`signal\`; one that ignores it and finishes late is the same gap.`,
        ]
      : [
          'Yes: idempotency is off, as the flow states. A batch that comes back is handled again in whole.',
          'Crash isolation works all the same.',
        ],
    attention: when(
      [!enabled, 'The handler itself must be safe to repeat.'],
      [
        enabled && key === undefined,
        'A message without `messageId` is recognised only from its first copy on. Senders must set one that is the same when they send again.',
      ],
    ),
    facts: {
      idempotency: enabled,
      key: enabled ? (key === undefined ? 'messageId' : 'function') : 'none',
      handlerTimeoutMs: flow.handlerTimeoutMs,
    },
  };
}
