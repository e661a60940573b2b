import { BrokerError } from '../broker/errors.ts';
import { copyOf } from '../message/copy.ts';
import type { CopyOptions } from '../message/outgoing.ts';
import type { CopyStamp, EndedRun } from '../message/types.ts';
import type { Failure } from '../policy/types.ts';
import { type Invocation, isIsolated } from './invocation.ts';
import { METRICS } from './metrics.ts';
import type { BatchRecord } from './record.ts';
import { retryUntil } from './retry-until.ts';

/** One try of a publish; a broker that blocks us is given this long before we look again. */
const PUBLISH_TRY_MS = 10_000;

/** What a copy says beyond what the message said; absent: as it was. */
export interface Change {
  readonly retryCount?: number;
  readonly notBefore?: Date;
  readonly failure?: Failure;
  /** Absent: as it was. */
  readonly suspect?: boolean;
  readonly endedRun?: EndedRun;
}

/**
 * Publishes a copy and resolves when it is confirmed and not returned. Trouble of the broker's is tried
 * again until the invocation must settle.
 *
 * @throws CopyError, at once, when the copy can't be sent by any client
 * @returns rejects with BrokerError when time is over
 */
export function publishCopy<Payload>(
  invocation: Invocation<Payload>,
  { message, messageIdIfMissing, labels }: BatchRecord,
  queue: string,
  change: Change,
  options: CopyOptions = {},
): Promise<void> {
  const { flow, session, now, requestId, version, settleByMs } = invocation;
  const stamp: CopyStamp = {
    retryCount: message.state.retryCount,
    suspect: message.state.suspect || isIsolated(flow, message.queue),
    ...change,
    at: new Date(now()),
    consumer: { flow: flow.name, version, requestId },
    ...(labels ? { labels } : {}),
    messageIdIfMissing,
    workQueue: flow.queue,
  };
  const copy = copyOf(message, stamp, queue, options);
  return retryUntil(
    `publish to '${queue}'`,
    () => session.publish(copy, Math.min(settleByMs, now() + PUBLISH_TRY_MS)),
    {
      untilMs: settleByMs,
      now,
      endsByItself: true,
      isRetryable: (error) => !(error instanceof BrokerError) || error.retryable,
      onError: (error) => {
        if (error instanceof BrokerError && error.code === 'BLOCKED') {
          invocation.counters.set(METRICS.brokerBlocked, 1);
        }
      },
    },
  );
}
