import type { BindingModel, ExchangeModel, QueueModel } from './types.ts';

/** One way in which the broker is not as the model wants it. `message` is for people. */
export interface TopologyProblem {
  /** `missing`: not there. `mismatch`: there, but different. `refused`: the broker said no. */
  readonly kind: 'missing' | 'mismatch' | 'refused';
  readonly entity: 'queue' | 'exchange' | 'binding';
  readonly name: string;
  /** For a mismatch: the first argument that differs; the broker names one at a time. */
  readonly argument?: string;
  readonly wanted?: string;
  /** Absent when the broker's text had no room for it: replies end after 255 bytes. */
  readonly found?: string;
  readonly message: string;
}

interface Inequivalence {
  readonly argument: string;
  readonly found?: string;
}

/**
 * Reads the broker's 406: "inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received
 * '20000' but current is '10000'", where either side may read "none" or "the value '…' of type '…'".
 * Undefined when the text says something else.
 */
export function parseInequivalence(text: string): Inequivalence | undefined {
  const argument = /inequivalent arg '([^']+)'/.exec(text)?.[1];
  if (argument === undefined) return undefined;
  const current = /but current is (?:the value )?(none|'([^']*)')/.exec(text);
  const found = current?.[1] === 'none' ? 'none' : current?.[2];
  return found === undefined ? { argument } : { argument, found };
}

/** A queue that is there, but not as wanted. */
export function queueMismatch(queue: QueueModel, text: string): TopologyProblem {
  const difference = parseInequivalence(text);
  if (difference === undefined) return refused('queue', queue.name, text);
  const { argument, found } = difference;
  const wanted = wantedValue(queue, argument);
  return {
    kind: 'mismatch',
    entity: 'queue',
    name: queue.name,
    argument,
    wanted,
    ...(found === undefined ? {} : { found }),
    message: `Queue "${queue.name}" exists with ${argument} ${found ?? '(not told)'}, wanted is ${wanted}. ${wayOut(queue)}`,
  };
}

export function exchangeMismatch(exchange: ExchangeModel, text: string): TopologyProblem {
  const difference = parseInequivalence(text);
  if (difference === undefined) return refused('exchange', exchange.name, text);
  const { argument, found } = difference;
  const wanted = argument === 'type' ? exchange.type : argument === 'durable' ? 'true' : 'false';
  return {
    kind: 'mismatch',
    entity: 'exchange',
    name: exchange.name,
    argument,
    wanted,
    ...(found === undefined ? {} : { found }),
    message: `Exchange "${exchange.name}" exists with ${argument} ${found ?? '(not told)'}, wanted is ${wanted}. Write the flow's binding with the type it has, or bind to another exchange.`,
  };
}

export function queueMissing(queue: QueueModel): TopologyProblem {
  const owner = queue.declare
    ? 'Apply the topology.'
    : `It belongs to someone else, so Layover does not make it: ask its owner, or let the flow "${queue.flow}" declare it.`;
  return {
    kind: 'missing',
    entity: 'queue',
    name: queue.name,
    message: `Queue "${queue.name}" does not exist. ${owner}`,
  };
}

export function exchangeMissing({ name }: ExchangeModel): TopologyProblem {
  return {
    kind: 'missing',
    entity: 'exchange',
    name,
    message: `Exchange "${name}" does not exist. Apply the topology.`,
  };
}

/** Anything else the broker said no to, in its own words. */
export function refused(
  entity: TopologyProblem['entity'],
  name: string,
  text: string,
): TopologyProblem {
  return {
    kind: 'refused',
    entity,
    name,
    message: `The broker refused ${entity} "${name}": ${text}.`,
  };
}

export function bindingName({ exchange, queue, routingKey }: BindingModel): string {
  return `${exchange} → ${queue} (${routingKey})`;
}

function wantedValue({ arguments: args }: QueueModel, argument: string): string {
  if (argument === 'durable') return 'true';
  if (argument === 'auto_delete' || argument === 'exclusive') return 'false';
  const value = args[argument];
  return value === undefined ? 'none' : String(value);
}

function wayOut({ role, flow }: QueueModel): string {
  const never = 'Arguments never change in place, and Layover deletes nothing.';
  switch (role) {
    case 'wait':
      return `${never} Give the tier another delay, which is another queue, and let this one drain; or delete it yourself once it is empty.`;
    case 'work':
      return `${never} Set the flow "${flow}" to an existing queue, or drain the queue and delete it yourself.`;
    case 'isolated':
    case 'isolated-wait':
    case 'parked':
      return `${never} Move its messages elsewhere and delete it yourself, then apply again.`;
  }
}
