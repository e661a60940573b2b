import { isForeignFailureHeader } from './headers.ts';
import { COUNT_LIMIT } from './limits.ts';
import { originForCopy } from './origin.ts';
import { type CopyOptions, outgoing } from './outgoing.ts';
import type { HeaderTable, HeaderValue, Message, OutgoingCopy } from './types.ts';

/** What a replay stamps on each message it moves. */
export interface ReplayStamp {
  /** Id of the run; the consumer reports the outcome of every message that carries one. */
  readonly run: string;
  readonly at: Date;
  /** The verified caller, or the schedule. */
  readonly by: string;
  readonly reason: string;
  readonly ticket?: string;
  /** Used when the message has no messageId of its own. */
  readonly messageIdIfMissing: string;
  /**
   * Leaves `x-origin-deadline` behind. Otherwise a message whose sender's deadline has passed is
   * `stale` again at once, which is right for a machine and may be wrong for a person who decided.
   * @default false
   */
  readonly ignoreDeadline?: boolean;
}

/**
 * A copy of a parked message for its work queue: the message as its sender made it, ready for
 * attempt 1. Gone are `x-failure-*`, the retry counter and lap, the broker's headers, and what other
 * frameworks left (`x-exception-*`, `x-original-*`, their counters); a header merely named `x-…` of the
 * sender's stays. Kept are `x-origin-*` and the properties `copyOf` keeps. `x-replay-count` goes up by
 * one and is never reset, so that a cap over the message's life can hold.
 *
 * Also for messages others parked: broker dead letters, Spring's. They get their `x-origin-*` here.
 *
 * @param queue the flow's work queue
 * @throws CopyError as `copyOf`; a replay leaves such a message parked
 */
export function replayCopyOf(
  message: Message,
  stamp: ReplayStamp,
  queue: string,
  options: CopyOptions = {},
): OutgoingCopy {
  const { deadline, ...origin } = originForCopy(message, queue, stamp.at);
  const keepDeadline = deadline !== undefined && stamp.ignoreDeadline !== true;
  return outgoing(
    message,
    {
      queue,
      state: {
        retryCount: 0,
        suspect: false,
        origin: keepDeadline ? { ...origin, deadline } : origin,
        replay: {
          count: Math.min(message.state.replay.count + 1, COUNT_LIMIT),
          run: stamp.run,
          at: stamp.at,
          by: stamp.by,
          reason: stamp.reason,
          ...(stamp.ticket === undefined ? {} : { ticket: stamp.ticket }),
        },
      },
      senderHeaders: withoutForeignFailure(message.headers),
      messageIdIfMissing: stamp.messageIdIfMissing,
    },
    options,
  );
}

function withoutForeignFailure(headers: HeaderTable): HeaderTable {
  const names = Object.keys(headers);
  if (!names.some(isForeignFailureHeader)) return headers;
  const kept: Record<string, HeaderValue> = Object.create(null);
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined && !isForeignFailureHeader(name)) kept[name] = value;
  }
  return kept;
}
