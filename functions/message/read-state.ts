import { emptyTable } from './amqp-value.ts';
import { withBytes } from './byte-headers.ts';
import { readBrokerCount, readCount, readMoment, readText } from './clamp.ts';
import { BROKER_HEADERS, HEADERS, isBrokerHeader, isOwnHeader } from './headers.ts';
import { TEXT_LIMIT_BYTES, type TextHeader } from './limits.ts';
import { readDeaths } from './read-deaths.ts';
import { readSuspect } from './suspect-mark.ts';
import type {
  Death,
  FailureStamp,
  HeaderTable,
  HeaderValue,
  MessageState,
  Origin,
  ReplayState,
} from './types.ts';

/** All headers of a message, sorted by whom they belong to. */
export interface ReadState {
  readonly state: MessageState;
  /** What the sender wrote, other frameworks' failure headers included. */
  readonly senderHeaders: HeaderTable;
  /** Newest first. */
  readonly deaths: readonly Death[];
  readonly deliveryCount?: number;
  readonly acquiredCount?: number;
}

/**
 * Sorts a message's headers into the sender's, the broker's and our own, and reads the latter two.
 *
 * Only a message with the publisher's token counts as one of our copies; without it the blocks
 * `x-failure-*`, `x-origin-*` and `x-replay-*` are ignored (and gone from `senderHeaders`). The token
 * is provenance, not proof: every value is clamped either way. `x-retry-count` is always read, so that
 * leaving out the token gives no extra retries. Total: never throws, whatever the values are.
 */
export function readState(headers: HeaderTable): ReadState {
  const own = isToken(headers[HEADERS.publishToken]);
  const bytes = own ? headers[HEADERS.originBytes] : undefined;
  const deliveryCount = readBrokerCount(headers[BROKER_HEADERS.deliveryCount]);
  const acquiredCount = readBrokerCount(headers[BROKER_HEADERS.acquiredCount]);
  const sender = senderHeadersOf(headers);
  const retryCount = readCount(headers[HEADERS.retryCount]);
  return {
    state: own ? readOwn(headers, retryCount) : freshState(retryCount),
    senderHeaders: typeof bytes === 'string' ? withBytes(sender, bytes) : sender,
    deaths: readDeaths(headers),
    ...(deliveryCount === undefined ? {} : { deliveryCount }),
    ...(acquiredCount === undefined ? {} : { acquiredCount }),
  };
}

/** The state of a message none of our copies preceded. */
export function freshState(retryCount = 0): MessageState {
  return { own: false, retryCount, suspect: false, origin: {}, replay: { count: 0 } };
}

function isToken(value: HeaderValue | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function senderHeadersOf(headers: HeaderTable): HeaderTable {
  const sender = emptyTable();
  for (const [name, value] of Object.entries(headers)) {
    if (!isOwnHeader(name) && !isBrokerHeader(name)) sender[name] = value;
  }
  return sender;
}

function readOwn(headers: HeaderTable, retryCount: number): MessageState {
  const failure = readFailure(headers);
  const labels = readLabels(headers[HEADERS.failureLabels]);
  return {
    own: true,
    retryCount,
    ...defined('notBefore', readMoment(headers[HEADERS.notBefore])),
    ...defined('failure', failure),
    ...defined('firstAt', readMoment(headers[HEADERS.failureFirstAt])),
    ...defined('lastAt', readMoment(headers[HEADERS.failureLastAt])),
    ...defined('consumer', text(headers, HEADERS.failureConsumer)),
    ...defined('labels', labels),
    ...readSuspect(headers[HEADERS.failureSuspect]),
    origin: readOrigin(headers),
    replay: readReplay(headers),
  };
}

function readFailure(headers: HeaderTable): FailureStamp | undefined {
  const failureClass = text(headers, HEADERS.failureClass);
  if (failureClass === undefined || failureClass === '') return undefined;
  return {
    class: failureClass,
    rule: text(headers, HEADERS.failureRule) ?? '',
    signature: text(headers, HEADERS.failureSignature) ?? '',
    name: text(headers, HEADERS.failureName) ?? '',
    ...defined('code', text(headers, HEADERS.failureCode)),
    message: text(headers, HEADERS.failureMessage) ?? '',
  };
}

function readOrigin(headers: HeaderTable): Origin {
  return {
    ...defined('queue', text(headers, HEADERS.originQueue)),
    ...defined('exchange', text(headers, HEADERS.originExchange)),
    ...defined('routingKey', text(headers, HEADERS.originRoutingKey)),
    ...defined('userId', text(headers, HEADERS.originUserId)),
    ...defined('deadline', readMoment(headers[HEADERS.originDeadline])),
    ...defined('deaths', text(headers, HEADERS.originDeaths)),
    ...defined('dropped', text(headers, HEADERS.originDropped)),
  };
}

function readReplay(headers: HeaderTable): ReplayState {
  return {
    count: readCount(headers[HEADERS.replayCount]),
    ...defined('run', text(headers, HEADERS.replayRun)),
    ...defined('at', readMoment(headers[HEADERS.replayAt])),
    ...defined('by', text(headers, HEADERS.replayBy)),
    ...defined('reason', text(headers, HEADERS.replayReason)),
    ...defined('ticket', text(headers, HEADERS.replayTicket)),
  };
}

/** A JSON object of texts; anything else in it is skipped, anything else at all is no labels. */
function readLabels(value: HeaderValue | undefined): Record<string, string> | undefined {
  const limit = TEXT_LIMIT_BYTES[HEADERS.failureLabels];
  if (typeof value !== 'string' || Buffer.byteLength(value) > limit) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(value);
  } catch {
    return undefined;
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined;
  const labels: Record<string, string> = Object.create(null);
  for (const [name, label] of Object.entries(json)) {
    if (typeof label === 'string') labels[name] = label;
  }
  return labels;
}

function text(headers: HeaderTable, name: TextHeader): string | undefined {
  return readText(headers[name], TEXT_LIMIT_BYTES[name]);
}

function defined<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: Value };
}
