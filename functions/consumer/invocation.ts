import type { Logger } from '@aws-lambda-powertools/logger';
import type { BrokerSession } from '../broker/types.ts';
import type { Flow } from '../policy/types.ts';
import type { OutcomeRecorder } from '../replay/outcome-recorder.ts';
import { isolatedQueueName } from '../topology/names.ts';
import type { Claims } from './claims.ts';
import type { Handle } from './handler-types.ts';
import type { Counters } from './metrics.ts';

/** Time kept at the end of an invocation for returning, in milliseconds. */
const RETURN_RESERVE_MS = 750;
/** Time kept for settling after the last handler ended, in milliseconds. */
const SETTLE_RESERVE_MS = 5_000;
/** The reserve is never more than this part of the whole time: short functions need some as well. */
const SETTLE_RESERVE_SHARE = 0.2;

/** What lives as long as the sandbox. */
export interface Sandbox<Payload> {
  readonly flow: Flow<Payload>;
  readonly handle: Handle<Payload>;
  readonly environment: string;
  readonly session: BrokerSession;
  readonly claims: Claims;
  /** False where there is no table of claims. */
  readonly canProve: boolean;
  /** Where replay is deployed: tells it how a message that it moved has ended. */
  readonly recordOutcome?: OutcomeRecorder['recordOutcome'];
  readonly logger: Logger;
  readonly now: () => number;
  readonly random: () => number;
}

/** One invocation: its identity, its deadlines, its counters. */
export interface Invocation<Payload> extends Sandbox<Payload> {
  readonly requestId: string;
  readonly version: string;
  /** Handlers must have ended by then (epoch milliseconds). */
  readonly handleByMs: number;
  /** Records must be settled by then, or the invocation fails. */
  readonly settleByMs: number;
  readonly counters: Counters;
}

export function deadlines(nowMs: number, remainingMs: number) {
  const reserveMs = Math.min(SETTLE_RESERVE_MS, remainingMs * SETTLE_RESERVE_SHARE);
  const settleByMs = nowMs + remainingMs - Math.min(RETURN_RESERVE_MS, reserveMs / 2);
  return { settleByMs, handleByMs: nowMs + remainingMs - reserveMs };
}

/**
 * May a handler still be started? The first record of a batch always may: a function whose time is
 * always short would otherwise defer for ever.
 */
export function mayStart<Payload>(invocation: Invocation<Payload>, index: number): boolean {
  const leftMs = invocation.handleByMs - invocation.now();
  return leftMs >= invocation.flow.handlerTimeoutMs || (index === 0 && leftMs > 0);
}

export function isIsolated(flow: Pick<Flow, 'queue'>, queue: string): boolean {
  return queue === isolatedQueueName(flow.queue);
}
