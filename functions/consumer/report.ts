import type { Message } from '../message/types.ts';
import { delayName } from '../topology/names.ts';
import type { Invocation } from './invocation.ts';
import type { Judgement } from './judge.ts';
import { METRICS } from './metrics.ts';
import { type BatchRecord, labelsOf } from './record.ts';
import type { Outcome } from './settle.ts';

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
      if (logger.getLevelName() === 'DEBUG') {
        logger.debug(SETTLED, fields(invocation, record, judgement, outcome));
      }
      return;
    case 'duplicate':
    case 'deferred':
    case 'isolated':
      logger.info(SETTLED, fields(invocation, record, judgement, outcome));
      return;
    case 'unsettled':
      logger.error(UNSETTLED, {
        ...fields(invocation, record, judgement, outcome),
        ...describeError(outcome.error),
      });
      return;
    case 'retry':
    case 'park':
    case 'discard':
    case 'acknowledge':
      logger.warn(SETTLED, fields(invocation, record, judgement, outcome));
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
      const failureClass = judgement?.kind === 'failed' ? judgement.failure.class : 'unknown';
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

/** Everything an engineer searches a failure by. Never the body. */
function fields<Payload>(
  { flow, requestId, version }: Invocation<Payload>,
  { message, messageIdIfMissing }: BatchRecord,
  judgement: Judgement | undefined,
  outcome: Outcome,
) {
  const { properties, state, deaths } = message;
  const failed = judgement?.kind === 'failed' ? judgement : undefined;
  const death = deaths[0];
  return {
    messageId: properties.messageId ?? messageIdIfMissing,
    correlationId: properties.correlationId,
    labels: labelsOf(flow, message),
    flow: flow.name,
    queue: message.queue,
    exchange: state.origin.exchange,
    routingKey: state.origin.routingKey,
    attempt: state.retryCount + 1,
    redelivered: message.redelivered,
    deaths: death && `${death.reason} in ${death.queue} ×${death.count}`,
    verdict: outcome.kind,
    to: 'queue' in outcome ? outcome.queue : undefined,
    why:
      failed?.verdict.kind === 'park'
        ? failed.verdict.why
        : 'why' in outcome
          ? outcome.why
          : undefined,
    nextAt: outcome.kind === 'retry' ? outcome.nextAt : undefined,
    ...(failed && {
      class: failed.failure.class,
      rule: failed.failure.rule,
      errorName: failed.failure.name,
      errorCode: failed.failure.code,
      errorMessage: failed.failure.message,
      signature: failed.failure.signature,
      stack: stackFrames(failed.thrown),
    }),
    replayRun: state.replay.run,
    functionVersion: version,
    requestId,
  };
}

/** The frames only: the first line repeats the message, which is logged scrubbed. */
function stackFrames(thrown: unknown): string[] | undefined {
  try {
    const { stack } = thrown as { stack?: unknown };
    if (typeof stack !== 'string') return undefined;
    return stack
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 12)
      .map((line) => line.trim());
  } catch {
    return undefined;
  }
}

function describeError(error: unknown) {
  const { name, message, code } =
    error instanceof Error ? (error as Error & { code?: string }) : ({} as never);
  return { errorName: name, errorCode: code, errorMessage: message ?? String(error) };
}
