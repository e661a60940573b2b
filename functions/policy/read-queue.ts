import { FieldReader, hasControlCharacter, isPlainObject } from './field-reader.ts';
import { LIMITS } from './flow-defaults.ts';
import { FLOW_KEYS } from './flow-keys.ts';
import type { Binding, Flow } from './types.ts';

/** Folder, Lambda name, metric dimension and construct id in one, so it is kept plain. */
const FLOW_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_FLOW_NAME = 40;

/** What our own queues end with: a work queue named so could be taken for another flow's. */
const DERIVED_NAME = /\.(parked|parked\.lock|isolated|isolated\.wait|wait\.\d+(ms|s|m|h|d))$/;
/**
 * The longest name derived from a queue's. It is that of the longest possible tier rather than of
 * the flow's own, so that no change of a delay can make a queue's name too long.
 */
const LONGEST_SUFFIX = `.wait.${LIMITS.maxTtlMs}ms`;

type QueueFields = Pick<Flow, 'name' | 'queue' | 'queueMode' | 'bindings'>;

/** Reads which queue a flow works on, whose it is, and what feeds it. */
export function readQueue(flow: FieldReader): QueueFields {
  const name = readName(flow);
  const queue = readQueueName(flow, name);
  const queueMode = flow.oneOf('queueMode', ['declare', 'existing'], 'declare');
  const bindings = flow
    .list('bindings', 'bindings { exchange, type, routingKey }')
    .map((item, index) => readBinding(flow, index, item));
  if (queueMode === 'existing' && bindings.length > 0) {
    const text = `an existing queue belongs to someone else, and so do its bindings; remove them, or use queueMode 'declare'`;
    flow.problems.add('bindings', flow.raw('bindings'), text);
  }
  return { name, queue, queueMode, bindings };
}

function readName(flow: FieldReader): string {
  const name = flow.raw('name');
  if (typeof name === 'string' && FLOW_NAME.test(name) && name.length <= MAX_FLOW_NAME) return name;
  const text = `expected the flow's folder name in small letters, digits and dashes, at most ${MAX_FLOW_NAME}, such as 'order-mails', got {got}`;
  flow.problems.add('name', name, text);
  return '';
}

function readQueueName(flow: FieldReader, flowName: string): string {
  const queue = flow.raw('queue');
  if (queue === undefined) return flowName;
  const problem = queueNameProblem(queue);
  if (problem === undefined && typeof queue === 'string') return queue;
  flow.problems.add('queue', queue, problem ?? "expected a queue's name, got {got}");
  return '';
}

function queueNameProblem(queue: unknown): string | undefined {
  if (typeof queue !== 'string' || queue === '') return "expected a queue's name, got {got}";
  if (queue.trim() !== queue || hasControlCharacter(queue) || !queue.isWellFormed()) {
    return 'has blanks at an end, control characters or half a surrogate pair; remove them from {got}';
  }
  if (queue.startsWith('amq.')) return "names starting with 'amq.' are the broker's own; rename it";
  if (DERIVED_NAME.test(queue)) {
    return `'${DERIVED_NAME.exec(queue)?.[0]}' is how Layover ends the names of its own queues; rename it`;
  }
  const bytes = Buffer.byteLength(queue);
  const longest = bytes + LONGEST_SUFFIX.length;
  const ascii = bytes === queue.length;
  const most = ascii ? LIMITS.maxNameBytes : LIMITS.maxNonAsciiNameBytes;
  if (longest <= most) return undefined;
  const kind = ascii ? '' : ' of a name with other than ASCII letters';
  return `is ${bytes} bytes long, and ${longest} bytes with the longest name derived from it ('….${LONGEST_SUFFIX.slice(1)}'); RabbitMQ allows ${most}${kind}, so shorten it to ${most - LONGEST_SUFFIX.length} bytes`;
}

function readBinding(flow: FieldReader, index: number, item: unknown): Binding {
  const at = `bindings[${index}]`;
  const fields = new FieldReader(flow.problems, at, item ?? null, FLOW_KEYS.binding);
  const type = fields.oneOf('type', ['direct', 'topic', 'fanout', 'headers'], 'direct');
  if (isPlainObject(item) && fields.raw('type') === undefined) {
    fields.problems.add(
      fields.at('type'),
      undefined,
      "missing; give the exchange's type, such as 'topic'",
    );
  }
  const exchange = readExchange(fields, isPlainObject(item));
  const routingKey = readRoutingKey(fields, type);
  const matched = readArguments(fields, type);
  return { exchange, type, routingKey, ...(matched && { arguments: matched }) };
}

function readExchange(fields: FieldReader, given: boolean): string {
  const exchange = fields.raw('exchange');
  if (typeof exchange !== 'string' || exchange === '' || hasControlCharacter(exchange)) {
    const text =
      "expected the name of an exchange, got {got} (every queue is bound to the default exchange '' anyway)";
    if (given) fields.problems.add(fields.at('exchange'), exchange, text);
    return '';
  }
  checkBytes(fields, 'exchange', exchange);
  return exchange;
}

function readRoutingKey(fields: FieldReader, type: Binding['type']): string {
  const key = fields.raw('routingKey');
  if (key === undefined) {
    if (type === 'topic' || (type === 'direct' && fields.raw('type') === 'direct')) {
      const text = `missing; a ${type} exchange routes by it`;
      fields.problems.add(fields.at('routingKey'), key, text);
    }
    return '';
  }
  if (typeof key !== 'string') {
    fields.problems.add(fields.at('routingKey'), key, 'expected a text, got {got}');
    return '';
  }
  checkBytes(fields, 'routingKey', key);
  return key;
}

function readArguments(fields: FieldReader, type: Binding['type']): Binding['arguments'] {
  const value = fields.raw('arguments');
  if (value === undefined) return undefined;
  const field = fields.at('arguments');
  if (!isPlainObject(value)) {
    fields.problems.add(field, value, 'expected an object of what to match, got {got}');
    return undefined;
  }
  if (type !== 'headers') {
    fields.problems.add(
      field,
      value,
      `only a headers exchange matches by arguments, not a ${type} one; remove them`,
    );
  }
  const matched: Record<string, string | number | boolean> = {};
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'string' || typeof item === 'boolean' || Number.isFinite(item)) {
      matched[key] = item as string | number | boolean;
    } else {
      fields.problems.add(`${field}.${key}`, item, 'expected a text, number or boolean, got {got}');
    }
  }
  return matched;
}

function checkBytes(fields: FieldReader, key: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= LIMITS.maxNameBytes) return;
  const long = `is ${bytes} bytes long; RabbitMQ allows ${LIMITS.maxNameBytes}, shorten it`;
  fields.problems.add(fields.at(key), text, long);
}
