import { SETTLED, UNSETTLED } from '../functions/consumer/report.ts';
import type { Message } from '../functions/message/types.ts';

/** The log line in which the function says what became of one record. */
export interface RecordLine {
  readonly messageId: string;
  readonly verdict: string;
  readonly queue?: string;
  readonly to?: string;
  readonly correlationId?: string;
  readonly attempt?: number;
  readonly redelivered?: boolean;
  readonly class?: string;
  readonly rule?: string;
  readonly why?: string;
  readonly nextAt?: string;
  readonly errorName?: string;
  readonly errorMessage?: string;
}

/** Reads one line of the function's output; undefined for anything but a line about a record. */
export function parseRecordLine(line: string): RecordLine | undefined {
  const entry = parseObject(line);
  if (entry?.message !== SETTLED && entry?.message !== UNSETTLED) return undefined;
  // The handler's own log may use the same word.
  const { messageId, verdict } = entry;
  if (typeof messageId !== 'string' || typeof verdict !== 'string') return undefined;
  return entry as unknown as RecordLine;
}

/** CloudWatch's embedded metrics, which say nothing to a person. */
export function isMetricLine(line: string): boolean {
  return parseObject(line)?._aws !== undefined;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/**
 * Records settle in any order. Gives each message of the event its line: by messageId, since a message
 * that is in the event twice is run one after the other; without an id by what else both tell, and then
 * by position. Undefined where the function said nothing, because it died.
 */
export function pairLines(
  messages: readonly Message[],
  lines: readonly RecordLine[],
): readonly (RecordLine | undefined)[] {
  const left = [...lines];
  const take = (fits: (line: RecordLine) => boolean): RecordLine | undefined => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const byId = messages.map(({ properties: { messageId } }) =>
    messageId === undefined ? undefined : take((line) => line.messageId === messageId),
  );
  // Only now: what is left are the lines of messages without an id.
  const byFacts = messages.map((message, index) =>
    hasId(message) ? byId[index] : take((line) => fitsFacts(line, message)),
  );
  return messages.map((message, index) =>
    hasId(message) ? byFacts[index] : (byFacts[index] ?? take(() => true)),
  );
}

function hasId({ properties }: Message): boolean {
  return properties.messageId !== undefined;
}

function fitsFacts(line: RecordLine, { queue, redelivered, properties, state }: Message): boolean {
  return (
    line.queue === queue &&
    line.redelivered === redelivered &&
    line.attempt === state.retryCount + 1 &&
    line.correlationId === properties.correlationId
  );
}
