import { brokerDeathOf } from '../message/broker-death.ts';
import type { Message } from '../message/types.ts';
import type { Flow } from '../policy/types.ts';
import { isolatedQueueName } from '../topology/names.ts';
import type { ParkedOrigin } from './guards.ts';
import type { ParkedFacts } from './types.ts';

type FlowRoute = Pick<Flow<never>, 'queue' | 'bindings'>;

/** Reads a parked message, whoever put it there. The broker's own dead letter wins over headers. */
export function parkedFacts(message: Message, fingerprint: string, flow: FlowRoute): ParkedFacts {
  const { state, properties } = message;
  const death = brokerDeathOf(message, ownQueues(flow));
  const failure = death === undefined ? state.failure : undefined;
  const spring = springFacts(message);
  const deathAt = message.deaths[0]?.timeSeconds;
  const failureClass = death?.class ?? failure?.class ?? 'unknown';
  return {
    fingerprint,
    messageId: properties.messageId ?? stampedId(fingerprint),
    class: failureClass,
    rule: failure?.rule ?? (death === undefined ? undefined : `broker:${death.death.reason}`),
    signature: signatureOf(message, flow),
    errorName: failure?.name ?? spring?.name,
    errorMessage: failure?.message ?? spring?.message,
    parkedAt:
      deathAt !== undefined && (death !== undefined || !state.own)
        ? new Date(deathAt * 1000)
        : state.lastAt,
    firstAt: state.firstAt,
    replayCount: state.replay.count,
    lastRun: state.replay.run,
    origin: originOf(message, flow),
    labels: state.labels ?? {},
    bytes: message.body.length,
    own: state.own,
  };
}

/** The failure's signature; of a broker's dead letter its reason. */
export function signatureOf(message: Message, flow: FlowRoute): string {
  const death = message.deaths.length === 0 ? undefined : brokerDeathOf(message, ownQueues(flow));
  if (death !== undefined) return `broker:${death.death.reason}`;
  return message.state.failure?.signature ?? springFacts(message)?.signature ?? 'unknown';
}

/** The messageId a replay stamps on a message without one: the same at every try. */
export function stampedId(fingerprint: string): string {
  return `layover-${fingerprint}`;
}

function ownQueues({ queue }: FlowRoute): readonly string[] {
  return [queue, isolatedQueueName(queue)];
}

function originOf(message: Message, flow: FlowRoute): ParkedOrigin {
  const [death] = message.deaths;
  if (death !== undefined) {
    if (ownQueues(flow).includes(death.queue)) return { kind: 'broker' };
    // A death before our copy would be in x-origin-deaths: this one came after it, from elsewhere.
    return { kind: 'elsewhere', route: death.queue };
  }
  if (message.state.own) {
    const { queue } = message.state.origin;
    return queue === undefined || queue === flow.queue
      ? { kind: 'ours' }
      : { kind: 'elsewhere', route: queue };
  }
  const spring = springFacts(message);
  if (spring?.routingKey === undefined) return { kind: 'unknown' };
  const { exchange, routingKey } = spring;
  const known =
    (exchange === '' && routingKey === flow.queue) ||
    flow.bindings.some((bound) => bound.exchange === exchange && matches(bound, routingKey));
  return { kind: 'spring', known, route: `${exchange || '(default)'}/${routingKey}` };
}

interface SpringFacts {
  readonly name: string | undefined;
  readonly message: string | undefined;
  readonly signature: string | undefined;
  readonly exchange: string;
  readonly routingKey: string | undefined;
}

/** What Spring's RepublishMessageRecoverer leaves: `x-exception-*`, `x-original-*`. */
function springFacts({ headers }: Message): SpringFacts | undefined {
  const routingKey = text(headers['x-original-routingKey']);
  const message = text(headers['x-exception-message']);
  const stack = text(headers['x-exception-stacktrace']);
  if (routingKey === undefined && message === undefined && stack === undefined) return undefined;
  const name = stack === undefined ? undefined : /^[\w.$]+/.exec(stack)?.[0];
  return {
    name,
    message: message?.slice(0, 1024),
    signature: name === undefined ? undefined : `spring:${name.slice(0, 120)}`,
    exchange: text(headers['x-original-exchange']) ?? '',
    routingKey,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Whether a binding would have brought a message with this key to the flow's queue. */
function matches({ type, routingKey }: FlowRoute['bindings'][number], key: string): boolean {
  if (type === 'fanout') return true;
  if (type === 'direct') return routingKey === key;
  return type === 'topic' && topicMatches(routingKey.split('.'), key.split('.'));
}

/** AMQP's topic patterns: `*` is one word, `#` any number of them. */
function topicMatches(pattern: readonly string[], words: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return words.length === 0;
  if (first === '#') {
    return topicMatches(rest, words) || (words.length > 0 && topicMatches(pattern, words.slice(1)));
  }
  return (
    words.length > 0 && (first === '*' || first === words[0]) && topicMatches(rest, words.slice(1))
  );
}
