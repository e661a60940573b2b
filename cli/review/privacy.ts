import { parkedQueueName } from '../../functions/topology/names.ts';
import { listed, type Reviewed, type Topic, when } from './topic.ts';

/** Where personal data may be. */
export function personalData({ flow }: Reviewed): Topic {
  const { sensitive } = flow;
  return {
    id: 'personal-data',
    question: 'Where may personal data be?',
    answers: [
      `Bodies: in the work, wait and isolated queues, and in \`${parkedQueueName(flow.queue)}\` until somebody decides, byte for byte as they were sent, with every header of the sender's. On the broker's disk, encrypted there. Never in a log line or a metric.`,
      'The error: its message goes into a header and the log, at most 1 KiB, with passwords, tokens, e-mail addresses and URL credentials removed.',
      `Also removed, with their values: ${sensitive.length > 0 ? `what is called ${listed(sensitive)}, in any spelling` : 'nothing more, the flow names no sensitive field'}.`,
      flow.labels === undefined
        ? 'Labels: none. Log lines carry `messageId` and `correlationId`.'
        : "Labels: what the flow's function returns, in a header and in every log line, as it is. Log lines also carry `messageId` and `correlationId`.",
      ...when([
        flow.idempotency.enabled,
        `The claims table holds \`${flow.name}\` with ${flow.idempotency.key === undefined ? 'the `messageId`' : 'what the key function returns'}, no body.`,
      ]),
    ],
    attention: when(
      [
        sensitive.length === 0,
        'No `sensitive` names are given: an error that quotes a field of the message is stored with it.',
      ],
      [
        flow.labels !== undefined,
        'Labels are searchable and not scrubbed: they must name no person (a tenant, a country, an aggregate).',
      ],
      [
        flow.idempotency.key !== undefined,
        'The key function must return no personal data: it is stored, and handed to the downstream.',
      ],
    ),
    facts: {
      sensitive,
      labels: flow.labels !== undefined,
      bodiesRestIn: [parkedQueueName(flow.queue)],
      bodiesInLogs: false,
    },
  };
}
