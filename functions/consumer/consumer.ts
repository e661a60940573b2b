import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { decodeEvent } from '../message/decode-event.ts';
import type { RabbitMqEvent } from '../message/event.ts';
import type { Flow } from '../policy/types.ts';
import { runBatch } from './batch.ts';
import type { Handle } from './handler-types.ts';
import { deadlines, type Invocation, type Sandbox } from './invocation.ts';
import { flushLines, printLine } from './log-line.ts';
import { Counters } from './metrics.ts';
import { recordOf } from './record.ts';
import { openSandbox } from './sandbox.ts';

/** Some records could not be settled. The invocation fails, and the broker keeps the whole batch. */
export class UnsettledError extends Error {
  override readonly name = 'UnsettledError';
  readonly code = 'UNSETTLED';
}

/**
 * Makes the Lambda handler of a flow, a middy instance: `.use()` adds middleware of your own.
 * Returns normally when every record of the batch is settled, since that makes the event source
 * mapping acknowledge them; throws only when one could not be.
 *
 * @example
 * export const handler = consumer(flow, async ({ payload }, { signal, idempotencyKey }) => {
 *   await charge(payload, { signal, idempotencyKey });
 * });
 */
export function consumer<Payload>(
  flow: Flow<Payload>,
  handle: Handle<Payload>,
  open: (flow: Flow<Payload>, handle: Handle<Payload>) => Sandbox<Payload> = openSandbox,
) {
  let sandbox: Sandbox<Payload> | undefined;
  const lambda = async (event: RabbitMqEvent, context: Context): Promise<void> => {
    sandbox ??= open(flow, handle);
    await invoke(sandbox, event, context);
  };
  // Our own deadlines are finer than middy's one early abort.
  return middy<RabbitMqEvent, void, Error, Context>({ timeoutEarlyInMillis: 0 }).handler(lambda);
}

async function invoke<Payload>(
  sandbox: Sandbox<Payload>,
  event: RabbitMqEvent,
  context: Context,
): Promise<void> {
  const invocation = begin(sandbox, context);
  const { flow, counters, now } = invocation;
  const records = decodeEvent(event).records.map((decoded) =>
    recordOf(flow, decoded.message, decoded.ok ? undefined : decoded.decodeProblem),
  );
  const outcomes = await runBatch(invocation, records);
  for (const line of counters.lines(now())) printLine(line);
  flushLines();

  const unsettled = outcomes.filter((outcome) => outcome.kind === 'unsettled');
  if (unsettled.length === 0) return;
  const cause = unsettled[0]?.error;
  throw new UnsettledError(
    `${unsettled.length} of ${records.length} records could not be settled; the broker keeps the batch. First: ${cause}`,
    { cause },
  );
}

function begin<Payload>(sandbox: Sandbox<Payload>, context: Context): Invocation<Payload> {
  const { session, now } = sandbox;
  const { settleByMs, handleByMs } = deadlines(now(), context.getRemainingTimeInMillis());
  // Beside the handlers: a connection that was frozen proves itself before it is needed.
  void session.wake(settleByMs);
  return {
    ...sandbox,
    requestId: context.awsRequestId,
    version: context.functionVersion,
    settleByMs,
    handleByMs,
    counters: new Counters(sandbox.environment, sandbox.flow.name),
  };
}
