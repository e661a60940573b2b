/**
 * Every header name Layover reads or writes. No other module of the house spells one of these names.
 * `docs/message-contract.md` is the same table for people.
 */

/** Headers of our own. Types on the wire: the counts are `int`, the mark is `bool` or text, the rest is text. */
export const HEADERS = {
  retryCount: 'x-retry-count',
  notBefore: 'x-retry-not-before',
  failureClass: 'x-failure-class',
  failureRule: 'x-failure-rule',
  failureSignature: 'x-failure-signature',
  failureName: 'x-failure-name',
  failureCode: 'x-failure-code',
  failureMessage: 'x-failure-message',
  failureFirstAt: 'x-failure-first-at',
  failureLastAt: 'x-failure-last-at',
  failureConsumer: 'x-failure-consumer',
  failureLabels: 'x-failure-labels',
  failureSuspect: 'x-failure-suspect',
  originQueue: 'x-origin-queue',
  originExchange: 'x-origin-exchange',
  originRoutingKey: 'x-origin-routing-key',
  originUserId: 'x-origin-user-id',
  originDeadline: 'x-origin-deadline',
  originDeaths: 'x-origin-deaths',
  originDropped: 'x-origin-dropped',
  originBytes: 'x-origin-bytes',
  publishToken: 'x-layover-publish',
  replayCount: 'x-replay-count',
  replayRun: 'x-replay-run',
  replayAt: 'x-replay-at',
  replayBy: 'x-replay-by',
  replayReason: 'x-replay-reason',
  replayTicket: 'x-replay-ticket',
} as const;

export type OwnHeader = (typeof HEADERS)[keyof typeof HEADERS];

/** Headers the broker writes when it counts deliveries or dead-letters. */
export const BROKER_HEADERS = {
  deaths: 'x-death',
  firstDeathQueue: 'x-first-death-queue',
  firstDeathReason: 'x-first-death-reason',
  lastDeathQueue: 'x-last-death-queue',
  lastDeathReason: 'x-last-death-reason',
  deliveryCount: 'x-delivery-count',
  acquiredCount: 'x-acquired-count',
} as const;

const OWN: ReadonlySet<string> = new Set(Object.values(HEADERS));

const BROKER: ReadonlySet<string> = new Set([
  BROKER_HEADERS.deaths,
  BROKER_HEADERS.deliveryCount,
  BROKER_HEADERS.acquiredCount,
  // Sender-selected routing: on a copy it would send the message to other queues once more.
  'CC',
  'BCC',
]);
const BROKER_PREFIXES = ['x-first-death-', 'x-last-death-'] as const;

/**
 * What other frameworks leave on a message that failed: Spring's republishing recoverer
 * (`x-exception-*`, `x-original-*`) and its counters. Left alone on retry and parking copies, since
 * they are evidence; gone on replay, where an old counter would send the message straight back.
 */
const FOREIGN: ReadonlySet<string> = new Set(['x-error-message', 'x-retries', 'retry_count']);
const FOREIGN_PREFIXES = ['x-exception-', 'x-original-'] as const;

/** True for a header of Layover's own. Exact names: a sender's `x-origin-country` is the sender's. */
export function isOwnHeader(name: string): name is OwnHeader {
  return OWN.has(name);
}

/** True for what the broker writes, and for `CC` and `BCC`: never on a copy. */
export function isBrokerHeader(name: string): boolean {
  return BROKER.has(name) || BROKER_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** True for the failure bookkeeping of other frameworks: not on a replayed copy. */
export function isForeignFailureHeader(name: string): boolean {
  return FOREIGN.has(name) || FOREIGN_PREFIXES.some((prefix) => name.startsWith(prefix));
}
