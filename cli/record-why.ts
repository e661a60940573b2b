import type { Message } from '../functions/message/types.ts';
import type { RecordLine } from './record-lines.ts';

/** Why a record ended as it did, in words for a person; '' where the verdict says it all. */
export function whyOf(line: RecordLine | undefined, message: Message): string {
  if (line === undefined) return 'the function ended before it said anything about it';
  const error = errorOf(line);
  switch (line.verdict) {
    case 'done':
      return '';
    case 'duplicate':
      return 'done before, says its claim';
    case 'retry':
      return [error, line.nextAt && `again at ${line.nextAt}`].filter(Boolean).join('; ');
    case 'park':
      return [PARKED[line.why ?? ''], error].filter(Boolean).join(': ');
    case 'deferred':
      return DEFERRED[line.why ?? ''] ?? 'no attempt was made';
    case 'isolated':
      return `${suspicionOf(message)}, so it runs alone`;
    default:
      return error;
  }
}

const PARKED: Readonly<Record<string, string>> = {
  policy: '',
  explicit: 'the handler said so',
  'attempts-exhausted': 'no attempts left',
  'class-retries-exhausted': 'no retries left for this class',
  elapsed: 'it would take longer than maxElapsed',
  deadline: "the sender's expiration is over",
};

const DEFERRED: Readonly<Record<string, string>> = {
  time: 'no time was left to start it',
  lap: 'it is not due yet',
  claim: 'another run has a claim on it',
  table: 'the table of claims gave no answer',
};

function errorOf({ errorName, errorMessage }: RecordLine): string {
  return [errorName, errorMessage].filter(Boolean).join(': ');
}

/** The consumer's own reasons, in its order. */
function suspicionOf({ state, deliveryCount, acquiredCount, redelivered }: Message): string {
  if (state.suspect) return 'marked as a suspect';
  if ((deliveryCount ?? 0) >= 1) return `x-delivery-count is ${deliveryCount}`;
  if ((acquiredCount ?? 0) >= 1) return `x-acquired-count is ${acquiredCount}`;
  const counted = deliveryCount !== undefined || acquiredCount !== undefined;
  if (redelivered && !counted) return 'redelivered, with no count that says how often';
  return 'another run has left a claim on it';
}
