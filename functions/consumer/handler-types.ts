import type { Logger } from '@aws-lambda-powertools/logger';
import type { FlowMessage } from '../policy/types.ts';

/** What a handler is given beside the message. */
export interface HandlerContext {
  /** Aborts when the handler's time is over; pass it to every call that takes one. */
  readonly signal: AbortSignal;
  /** 1-based count of handler runs since the last replay. */
  readonly attempt: number;
  /** The same over retries and replays of this message: send it downstream as its idempotency key. */
  readonly idempotencyKey: string;
  /** Every line carries messageId, correlationId, attempt and the flow's labels. */
  readonly log: Logger;
  /** When {@link signal} aborts. */
  readonly deadline: Date;
}

/**
 * A flow's own code for one message. Returning means done; throwing means failed, and the policy
 * decides by what was thrown. The returned value is not used.
 */
export type Handle<Payload> = (
  message: FlowMessage<Payload>,
  context: HandlerContext,
) => unknown | Promise<unknown>;
