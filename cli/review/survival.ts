import { listed, type Reviewed, type Topic, when } from './topic.ts';

/** What survives a restart, the loss of a node, a crash of the function. */
export function whatSurvives({ flow, topology }: Reviewed): Topic {
  const ours = topology.queues.filter(({ declare }) => declare);
  const quorum = ours.filter((queue) => queue.arguments['x-queue-type'] === 'quorum');
  const forwarding = ours.filter((queue) => 'x-dead-letter-exchange' in queue.arguments);
  const confirmed = forwarding.filter(
    ({ arguments: table }) =>
      table['x-dead-letter-strategy'] === 'at-least-once' &&
      table['x-overflow'] === 'reject-publish',
  );
  const limits = ours
    .filter(({ role }) => role === 'work' || role === 'isolated')
    .map((queue) => Number(queue.arguments['x-delivery-limit']));
  return {
    id: 'what-survives',
    question: 'What survives?',
    answers: [
      `A broker restart: everything that was confirmed. ${quorum.length} of our ${ours.length} queues are durable quorum queues, copies are persistent.`,
      'The loss of a node: the same, on a cluster of three. A single instance has one node and its disk.',
      'A crash, a timeout, a bad deploy of the function: the original is acknowledged only after its copy was confirmed, so it comes back and takes the detour through isolation.',
      `A full or missing target of a wait: ${confirmed.length} of ${forwarding.length} queues that pass messages on do so at least once; the broker keeps them and tries again after some minutes.`,
      ...when([
        limits.length > 0,
        `The last net: after ${Math.min(...limits)} deliveries the broker itself moves a message to parking.`,
      ]),
      'In doubt a message is doubled rather than lost; docs/guarantees.md goes through every crash point.',
    ],
    attention: when(
      [
        flow.queueMode === 'existing',
        `\`${flow.queue}\` is somebody else's: what it survives, and where its own dead letters go, is for its owner to say.`,
      ],
      [
        flow.queueMode === 'declare' && flow.bindings.length === 0,
        'No exchange is bound: senders publish to the queue by name, and one that does not set `mandatory` never learns that the queue is missing.',
      ],
      [quorum.length < ours.length || confirmed.length < forwarding.length, notQuite(ours, quorum)],
    ),
    facts: {
      queues: ours.length,
      quorum: quorum.length,
      forwarding: forwarding.length,
      atLeastOnce: confirmed.length,
      deliveryLimits: limits,
    },
  };
}

function notQuite(
  ours: readonly { readonly name: string }[],
  quorum: readonly { readonly name: string }[],
): string {
  const others = ours.filter((queue) => !quorum.includes(queue)).map(({ name }) => name);
  return `Not every queue is a quorum queue that passes messages on at least once: ${listed(others)}.`;
}
