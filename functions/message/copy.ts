import { originForCopy } from './origin.ts';
import { type CopyOptions, outgoing } from './outgoing.ts';
import type { CopyStamp, Message, OutgoingCopy } from './types.ts';
import type { WritableState } from './write-state.ts';

/**
 * A copy of a message for a wait queue, the isolated queue or the parking queue.
 *
 * Keeps the body byte for byte, every header of the sender's, and the properties messageId (stamped
 * when missing), correlationId, type, appId, contentType, contentEncoding, priority, timestamp and
 * replyTo. Leaves behind what would do harm on a copy: expiration, userId, CC, BCC and the broker's own
 * headers; what they said goes into `x-origin-*`, which the first copy fixes. The copy is always to
 * be published persistent, whatever the original's delivery mode.
 *
 * Without `stamp.failure` (a deferral) the failure block stays as it was.
 *
 * @param queue where the copy goes, through the default exchange
 * @throws CopyError when a header or property of the sender's can't be sent on, unless told to drop it
 */
export function copyOf(
  message: Message,
  stamp: CopyStamp,
  queue: string,
  options: CopyOptions = {},
): OutgoingCopy {
  return outgoing(
    message,
    {
      queue,
      state: nextState(message, stamp),
      senderHeaders: message.headers,
      messageIdIfMissing: stamp.messageIdIfMissing,
    },
    options,
  );
}

function nextState(message: Message, stamp: CopyStamp): WritableState {
  const { state } = message;
  const failure = stamp.failure ?? state.failure;
  const labels = stamp.labels ?? state.labels;
  const lastAt = stamp.failure === undefined ? state.lastAt : stamp.at;
  const consumer = stamp.failure === undefined ? state.consumer : undefined;
  return {
    retryCount: stamp.retryCount,
    ...(stamp.notBefore === undefined ? {} : { notBefore: stamp.notBefore }),
    ...(failure === undefined ? {} : { failure }),
    firstAt: state.firstAt ?? stamp.at,
    ...(lastAt === undefined ? {} : { lastAt }),
    consumer: consumer ?? consumerText(stamp.consumer),
    ...(labels === undefined ? {} : { labels }),
    suspect: stamp.suspect,
    ...(stamp.endedRun === undefined ? {} : { endedRun: stamp.endedRun }),
    origin: originForCopy(message, stamp.workQueue, stamp.at),
    replay: state.replay,
  };
}

function consumerText({ flow, version, requestId }: CopyStamp['consumer']): string {
  return `${flow}/${version}/${requestId}`;
}
