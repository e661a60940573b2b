import { MAX_TTL_MS, MIN_WORK_DELIVERY_LIMIT, NEVER_DELIVERY_LIMIT } from './arguments.ts';
import { TopologyError } from './errors.ts';
import type { QueueModel } from './types.ts';
import { validateName } from './validate-name.ts';

/**
 * The rules of one queue. What nobody declares (`declare: false`) is its owner's business.
 * @throws TopologyError `BAD_ARGUMENT`, or `BAD_NAME` for a dead-letter target.
 */
export function validateQueue(queue: QueueModel): void {
  if (!queue.declare) return;
  const args = queue.arguments;
  const refuse = (argument: string, why: string): never => {
    throw new TopologyError('BAD_ARGUMENT', `Queue "${queue.name}", ${argument}: ${why}`);
  };
  refuseKeys(queue, refuse);
  if (args['x-queue-type'] !== 'quorum') {
    refuse('x-queue-type', `must be "quorum", got ${show(args['x-queue-type'])}.`);
  }
  if (args['x-overflow'] !== 'reject-publish') {
    refuse(
      'x-overflow',
      `must be "reject-publish", got ${show(args['x-overflow'])}; anything else discards the oldest messages of a full queue.`,
    );
  }
  validateDeliveryLimit(queue, refuse);
  if (queue.role === 'parked') return;
  if (args['x-dead-letter-exchange'] !== '') {
    refuse(
      'x-dead-letter-exchange',
      `must be "" (the default exchange), got ${show(args['x-dead-letter-exchange'])}; without it the broker drops what it gives up on.`,
    );
  }
  const target = args['x-dead-letter-routing-key'];
  if (typeof target !== 'string') {
    refuse('x-dead-letter-routing-key', `must name a queue, got ${show(target)}.`);
  } else {
    validateName('Dead-letter target', target);
  }
  if (args['x-dead-letter-strategy'] !== 'at-least-once') {
    refuse(
      'x-dead-letter-strategy',
      `must be "at-least-once", got ${show(args['x-dead-letter-strategy'])}; otherwise a message may vanish on its way.`,
    );
  }
  if (queue.role === 'wait' || queue.role === 'isolated-wait') {
    validateTtl(args['x-message-ttl'], refuse);
  }
}

type Refuse = (argument: string, why: string) => never;

/** Arguments that delete messages, or the queue with its messages, and so have no place here. */
function refuseKeys({ role, arguments: args }: QueueModel, refuse: Refuse): void {
  for (const key of ['x-expires', 'expires', 'autoDelete', 'auto-delete', 'exclusive']) {
    if (key in args) {
      refuse(key, 'would delete the queue with its messages; remove it.');
    }
  }
  if (role === 'wait' || role === 'isolated-wait') return;
  if ('x-message-ttl' in args) {
    refuse('x-message-ttl', `a queue in the role "${role}" must not expire messages; remove it.`);
  }
  if (role === 'parked' && Object.keys(args).some((key) => key.startsWith('x-dead-letter-'))) {
    refuse('x-dead-letter-exchange', 'parking is where messages rest; remove it.');
  }
}

function validateDeliveryLimit({ role, arguments: args }: QueueModel, refuse: Refuse): void {
  const limit = args['x-delivery-limit'];
  const worked = role === 'work' || role === 'isolated';
  const leastLimit = worked ? MIN_WORK_DELIVERY_LIMIT : NEVER_DELIVERY_LIMIT;
  if (
    typeof limit !== 'number' ||
    !Number.isInteger(limit) ||
    limit < leastLimit ||
    limit > NEVER_DELIVERY_LIMIT
  ) {
    const wanted = worked ? `a whole number from ${leastLimit} to` : 'exactly';
    refuse(
      'x-delivery-limit',
      `must be ${wanted} ${NEVER_DELIVERY_LIMIT}, got ${show(limit)}; without it, or with -1, one version of the broker or another drops messages.`,
    );
  }
}

function validateTtl(ttlMs: unknown, refuse: Refuse): void {
  if (typeof ttlMs !== 'number' || !Number.isInteger(ttlMs) || ttlMs < 1 || ttlMs > MAX_TTL_MS) {
    refuse(
      'x-message-ttl',
      `must be a whole number of milliseconds from 1 to ${MAX_TTL_MS} (49 days), got ${show(ttlMs)}.`,
    );
  }
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
