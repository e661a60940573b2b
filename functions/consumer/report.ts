import type { Message } from '../message/types.ts';
import { delayName } from '../topology/names.ts';
import type { Invocation } from './invocation.ts';
import type { Judgement } from './judge.ts';
import { logLine, logs } from './log-line.ts';
import { METRICS } from './metrics.ts';
import type { Outcome } from './outcome.ts';
import type { BatchRecord } from './record.ts';
import { describeError, recordFields } from './record-line.ts';

/** Text of the one log line a record leaves; saved queries and the local run search for it. */
export const SETTLED = 'settled';
/** The same for a record that could not be settled; its invocation fails. */
export const UNSETTLED = 'not settled';

/** Counts an outcome and writes its log line: failures as warnings, the good case at debug level. */
export function report<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  judgement: Judgement | undefined,
  outcome: Outcome,
): void {
  count(invocation, record.message, judgement, outcome);
  const { logger } = invocation;
  switch (outcome.kind) {
    case 'done':
      if (logs(logger, 'DEBUG')) {
        logLine(logger, 'DEBUG', SETTLED, recordFields(invocation, record, judgement, outcome));
      }
      return;
    case 'duplicate':
    case 'deferred':
    case 'isolated':
      logLine(logger, 'INFO', SETTLED, recordFields(invocation, record, judgement, outcome));
      return;
    case 'unsettled':
      logLine(logger, 'ERROR', UNSETTLED, {
        ...recordFields(invocation, record, judgement, outcome),
        ...describeError(outcome.error),
      });
      return;
    case 'retry':
    case 'park':
    case 'discard':
    case 'acknowledge':
      logLine(logger, 'WARN', SETTLED, recordFields(invocation, record, judgement, outcome));
      return;
  }
}

function count<Payload>(
  { counters }: Invocation<Payload>,
  message: Message,
  judgement: Judgement | undefined,
  outcome: Outcome,
): void {
  if (message.redelivered) counters.count(METRICS.redelivered);
  switch (outcome.kind) {
    case 'done':
      counters.count(METRICS.done);
      return;
    case 'duplicate':
    case 'acknowledge':
      counters.count(METRICS.duplicates);
      return;
    case 'retry':
      counters.countBy(METRICS.retried, 'tier', delayName(outcome.delayMs));
      return;
    case 'park': {
      const judged = judgement?.kind === 'failed' ? judgement.failure : undefined;
      const failureClass = (outcome.failure ?? judged)?.class ?? 'unknown';
      counters.countBy(METRICS.parked, 'class', failureClass);
      return;
    }
    case 'discard':
      counters.count(METRICS.discarded);
      return;
    case 'deferred':
      counters.count(METRICS.deferred);
      return;
    case 'isolated':
      counters.count(METRICS.isolated);
      return;
    case 'unsettled':
      counters.count(METRICS.settleFailures);
      return;
  }
}
