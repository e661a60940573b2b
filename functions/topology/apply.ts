import type { ChannelModel } from 'amqplib';
import { BrokerDialogue, isReply } from './dialogue.ts';
import { TopologyError } from './errors.ts';
import {
  bindingName,
  exchangeMismatch,
  exchangeMissing,
  queueMismatch,
  queueMissing,
  refused,
  type TopologyProblem,
} from './problems.ts';
import type { ExchangeModel, QueueModel, Topology } from './types.ts';

export interface ApplyOptions {
  /** `apply` makes what is missing; `check` makes nothing. Neither ever deletes. */
  readonly mode: 'apply' | 'check';
  /** How long the whole may take, in milliseconds. Default 60 s. */
  readonly timeoutMs?: number;
}

export interface ApplyReport {
  readonly mode: ApplyOptions['mode'];
  /** Names of queues and exchanges made now. */
  readonly created: readonly string[];
  /** Names of queues and exchanges found as wanted. */
  readonly unchanged: readonly string[];
  /** Always empty after `apply`, which throws them. */
  readonly problems: readonly TopologyProblem[];
}

/** The broker is not as the model wants it, and can't be made so without a person. */
export class TopologyApplyError extends TopologyError {
  override readonly name = 'TopologyApplyError';
  readonly problems: readonly TopologyProblem[];

  constructor(problems: readonly TopologyProblem[]) {
    super('NOT_APPLIED', problems.map(({ message }) => message).join('\n'));
    this.problems = problems;
  }
}

const TIMEOUT_MS = 60_000;

/**
 * Makes the broker's exchanges, queues and bindings as the model says, or checks them. Idempotent;
 * what exists and differs is left as it is; nothing is ever deleted; a queue of someone else's is only
 * looked at. Goes on after a problem, so that a person sees all of them at once.
 *
 * A check can't see bindings: AMQP has no way to ask for one.
 * @throws TopologyApplyError after `apply` with problems; TopologyError `INTERRUPTED` when the
 * connection is lost or the time is up.
 */
export async function applyTopology(
  connection: ChannelModel,
  topology: Topology,
  options: ApplyOptions,
): Promise<ApplyReport> {
  const dialogue = new BrokerDialogue(connection, options.timeoutMs ?? TIMEOUT_MS);
  try {
    const report = await run(dialogue, topology, options.mode);
    if (options.mode === 'apply' && report.problems.length > 0) {
      throw new TopologyApplyError(report.problems);
    }
    return report;
  } finally {
    dialogue.end();
  }
}

async function run(
  dialogue: BrokerDialogue,
  topology: Topology,
  mode: ApplyOptions['mode'],
): Promise<ApplyReport> {
  const created: string[] = [];
  const unchanged: string[] = [];
  const problems: TopologyProblem[] = [];
  const note = (name: string, outcome: Outcome) => {
    if (outcome === 'created') created.push(name);
    else if (outcome === 'unchanged') unchanged.push(name);
    else problems.push(outcome);
  };
  for (const exchange of topology.exchanges) {
    note(exchange.name, await settleExchange(dialogue, exchange, mode));
  }
  for (const queue of topology.queues) {
    note(queue.name, await settleQueue(dialogue, queue, mode));
  }
  // Last, so that no message arrives before every queue on its way exists.
  if (mode === 'apply') {
    const broken = new Set(problems.map(({ name }) => name));
    for (const binding of topology.bindings) {
      if (broken.has(binding.queue) || broken.has(binding.exchange)) continue;
      const { queue, exchange, routingKey, arguments: table } = binding;
      const reply = await dialogue.ask(`binding ${bindingName(binding)}`, (channel) =>
        channel.bindQueue(queue, exchange, routingKey, table),
      );
      if (isReply(reply)) problems.push(refused('binding', bindingName(binding), reply.text));
    }
  }
  return { mode, created, unchanged, problems };
}

type Outcome = 'created' | 'unchanged' | TopologyProblem;

async function settleQueue(
  dialogue: BrokerDialogue,
  queue: QueueModel,
  mode: ApplyOptions['mode'],
): Promise<Outcome> {
  const { name } = queue;
  const look = await dialogue.ask(`queue "${name}"`, (channel) => channel.checkQueue(name));
  const exists = !isReply(look);
  if (!exists && look.code !== 404) return refused('queue', name, look.text);
  if (!queue.declare) return exists ? 'unchanged' : queueMissing(queue);
  if (!exists && mode === 'check') return queueMissing(queue);
  // Declaring what exists changes nothing; it is the only way to have the arguments compared.
  const declared = await dialogue.ask(`queue "${name}"`, (channel) =>
    channel.assertQueue(name, { durable: true, arguments: queue.arguments }),
  );
  if (!isReply(declared)) return exists ? 'unchanged' : 'created';
  return declared.code === 406
    ? queueMismatch(queue, declared.text)
    : refused('queue', name, declared.text);
}

async function settleExchange(
  dialogue: BrokerDialogue,
  exchange: ExchangeModel,
  mode: ApplyOptions['mode'],
): Promise<Outcome> {
  const { name, type } = exchange;
  const look = await dialogue.ask(`exchange "${name}"`, (channel) => channel.checkExchange(name));
  const exists = !isReply(look);
  if (!exists && look.code !== 404) return refused('exchange', name, look.text);
  if (!exists && mode === 'check') return exchangeMissing(exchange);
  const declared = await dialogue.ask(`exchange "${name}"`, (channel) =>
    channel.assertExchange(name, type, { durable: true }),
  );
  if (!isReply(declared)) return exists ? 'unchanged' : 'created';
  return declared.code === 406
    ? exchangeMismatch(exchange, declared.text)
    : refused('exchange', name, declared.text);
}
