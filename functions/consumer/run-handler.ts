import type { Logger } from '@aws-lambda-powertools/logger';
import { type AttemptEnd, runAttempt } from './attempt.ts';
import { handlerMessage } from './flow-message.ts';
import type { Invocation } from './invocation.ts';
import { METRICS } from './metrics.ts';
import type { BatchRecord } from './record.ts';

/** Decodes the payload and runs the flow's handler once, within what is left of its time. Never throws. */
export async function runHandler<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  key: string,
): Promise<AttemptEnd> {
  const { message } = record;
  const { flow, handle, logger, counters, now } = invocation;
  const attempt = message.state.retryCount + 1;
  const startMs = now();
  const deadlineMs = Math.min(startMs + flow.handlerTimeoutMs, invocation.handleByMs);
  counters.count(METRICS.handled);
  counters.attempt(attempt);
  let log: Logger | undefined;
  return runAttempt(
    async (signal) =>
      handle(await handlerMessage(flow, message), {
        get signal() {
          return signal();
        },
        attempt,
        idempotencyKey: `${flow.name}:${key}`,
        deadline: new Date(deadlineMs),
        /** Made when first used: most handlers of a large batch never log. */
        get log() {
          log ??= logger.createChild({ persistentKeys: logKeys(invocation, record, attempt) });
          return log;
        },
      }),
    Math.max(1, deadlineMs - startMs),
  );
}

function logKeys<Payload>(
  { requestId }: Invocation<Payload>,
  { message, messageIdIfMissing, labels }: BatchRecord,
  attempt: number,
) {
  const { messageId = messageIdIfMissing, correlationId } = message.properties;
  return { messageId, correlationId, attempt, requestId, ...labels };
}
