import { knownOrigin } from '../message/origin.ts';
import type { Invocation } from './invocation.ts';
import type { Judgement } from './judge.ts';
import type { Outcome } from './outcome.ts';
import type { BatchRecord } from './record.ts';

/** Everything an engineer searches a failure by. Never the body. */
export function recordFields<Payload>(
  { flow, requestId, version }: Invocation<Payload>,
  { message, messageIdIfMissing, labels }: BatchRecord,
  judgement: Judgement | undefined,
  outcome: Outcome,
) {
  const { properties, state, deaths } = message;
  const origin = knownOrigin(message);
  const failed = judgement?.kind === 'failed' ? judgement : undefined;
  const failure = (outcome.kind === 'park' && outcome.failure) || failed?.failure;
  const death = deaths[0];
  return {
    messageId: properties.messageId ?? messageIdIfMissing,
    correlationId: properties.correlationId,
    labels,
    flow: flow.name,
    queue: message.queue,
    exchange: origin.exchange,
    routingKey: origin.routingKey,
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
    ...(failure && {
      class: failure.class,
      rule: failure.rule,
      errorName: failure.name,
      errorCode: failure.code,
      errorMessage: failure.message,
      signature: failure.signature,
      stack: stackFrames(failed?.thrown),
    }),
    replayRun: state.replay.run,
    functionVersion: version,
    requestId,
  };
}

/** The frames only: the first line repeats the message, which is logged scrubbed. */
function stackFrames(thrown: unknown): string | undefined {
  try {
    const { stack } = thrown as { stack?: unknown };
    if (typeof stack !== 'string') return undefined;
    const from = stack.indexOf('\n    at ');
    return from < 0 ? undefined : stack.slice(from + 1, from + MAX_STACK);
  } catch {
    return undefined;
  }
}

const MAX_STACK = 2_000;

export function describeError(error: unknown) {
  const { name, message, code } =
    error instanceof Error ? (error as Error & { code?: string }) : ({} as never);
  return { errorName: name, errorCode: code, errorMessage: message ?? String(error) };
}
