import { BrokerError } from '../broker/errors.ts';
import { copyOf } from '../message/copy.ts';
import { CopyError } from '../message/errors.ts';
import type { CopyOptions } from '../message/outgoing.ts';
import type { CopyStamp, EndedRun } from '../message/types.ts';
import { deferralDelayMs, nextLap } from '../policy/schedule.ts';
import type { Failure } from '../policy/types.ts';
import {
  isolatedQueueName,
  isolatedWaitQueueName,
  parkedQueueName,
  waitQueueName,
} from '../topology/names.ts';
import type { Claim } from './claims.ts';
import { type Invocation, isIsolated } from './invocation.ts';
import type { DeferReason, Judgement } from './judge.ts';
import { METRICS } from './metrics.ts';
import { ownFailure } from './own-failure.ts';
import type { BatchRecord } from './record.ts';
import { retryUntil } from './retry-until.ts';

/** One try of a publish; a broker that blocks us is given this long before we look again. */
const PUBLISH_TRY_MS = 10_000;

/** What happened to a record. `queue` is where its copy is now. */
export type Outcome =
  | { readonly kind: 'done' | 'duplicate' }
  | {
      readonly kind: 'retry';
      readonly queue: string;
      readonly nextAt: Date;
      readonly delayMs: number;
    }
  /** `failure` when the message is parked for another reason than it was judged by. */
  | { readonly kind: 'park'; readonly queue: string; readonly failure?: Failure }
  | { readonly kind: 'discard' | 'acknowledge' }
  | { readonly kind: 'deferred'; readonly queue: string; readonly why: DeferReason }
  | { readonly kind: 'isolated'; readonly queue: string }
  /** Nothing is given up: the invocation must fail, so that the broker keeps the original. */
  | { readonly kind: 'unsettled'; readonly error: unknown };

/**
 * Carries out a judgement. Published, confirmed and not returned comes first; only then may the
 * caller let go of the original. Never rejects.
 */
export async function settle<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  judgement: Judgement,
): Promise<Outcome> {
  try {
    return await carryOut(invocation, record, judgement);
  } catch (error) {
    if (!(error instanceof CopyError)) return { kind: 'unsettled', error };
    return parkUnsendable(invocation, record, error);
  }
}

/**
 * A header of the sender's that no client could publish again (beyond 64 KiB, say) would otherwise
 * fail every batch it is in, for ever. The message is parked without that header, which
 * `x-origin-dropped` names.
 */
async function parkUnsendable<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  error: CopyError,
): Promise<Outcome> {
  const queue = parkedQueueName(invocation.flow.queue);
  const failure = ownFailure('contract', 'layover.unsendable-header', error.name, error.message);
  try {
    await publish(invocation, record, queue, { failure, suspect: false }, { unsendable: 'drop' });
    return { kind: 'park', queue, failure };
  } catch (cause) {
    return { kind: 'unsettled', error: cause };
  }
}

async function carryOut<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  judgement: Judgement,
): Promise<Outcome> {
  const { flow } = invocation;
  switch (judgement.kind) {
    case 'done':
      return (await complete(invocation, record, judgement.claim)) ?? { kind: 'done' };
    case 'duplicate':
      return { kind: 'duplicate' };
    case 'isolate': {
      const queue = isolatedQueueName(flow.queue);
      await publish(invocation, record, queue, { suspect: true });
      return { kind: 'isolated', queue };
    }
    case 'deferred':
      return defer(invocation, record, judgement);
    case 'failed':
      return carryOutVerdict(invocation, record, judgement);
  }
}

async function carryOutVerdict<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  { verdict, failure, claim, evidence }: Extract<Judgement, { kind: 'failed' }>,
): Promise<Outcome> {
  const { flow } = invocation;
  const { message } = record;
  if (verdict.kind === 'acknowledge') {
    return (await complete(invocation, record, claim)) ?? { kind: 'acknowledge' };
  }
  // The marker ends before the copy leaves: a run that ended must never look like one that died.
  const unreleased = await release(invocation, record, claim);
  if (unreleased) return unreleased;
  switch (verdict.kind) {
    case 'discard':
      return { kind: 'discard' };
    case 'park': {
      const queue = parkedQueueName(flow.queue);
      await publish(invocation, record, queue, { failure, suspect: false });
      if (evidence) await clearEvidence(invocation, evidence);
      return { kind: 'park', queue };
    }
    case 'retry': {
      const isolated = isIsolated(flow, message.queue);
      const dueAt = new Date(invocation.now() + verdict.delayMs);
      const nextAt = verdict.notBefore && verdict.notBefore > dueAt ? verdict.notBefore : dueAt;
      const queue = isolated
        ? isolatedWaitQueueName(flow.queue)
        : waitQueueName(flow.queue, verdict.delayMs);
      // The isolated wait has one fixed length, so there the header carries the time.
      const notBefore = isolated ? nextAt : verdict.notBefore;
      const retryCount = message.state.retryCount + 1;
      await publish(invocation, record, queue, {
        retryCount,
        failure,
        ...(notBefore ? { notBefore } : {}),
      });
      return { kind: 'retry', queue, nextAt, delayMs: verdict.delayMs };
    }
  }
}

/** A wait that burns no attempt. */
async function defer<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  { why, until }: Extract<Judgement, { kind: 'deferred' }>,
): Promise<Outcome> {
  const { flow } = invocation;
  const now = new Date(invocation.now());
  const delayMs = nextLap(until, now, flow.schedule) ?? deferralDelayMs(flow.schedule);
  const queue = isIsolated(flow, record.message.queue)
    ? isolatedWaitQueueName(flow.queue)
    : waitQueueName(flow.queue, delayMs);
  await publish(invocation, record, queue, until ? { notBefore: until } : {});
  return { kind: 'deferred', queue, why };
}

interface Change {
  readonly retryCount?: number;
  readonly notBefore?: Date;
  readonly failure?: Failure;
  /** Absent: as it was. */
  readonly suspect?: boolean;
  readonly endedRun?: EndedRun;
}

async function publish<Payload>(
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
  await retryUntil(
    `publish to '${queue}'`,
    () => session.publish(copy, Math.min(settleByMs, now() + PUBLISH_TRY_MS)),
    {
      untilMs: settleByMs,
      now,
      isRetryable: (error) => !(error instanceof BrokerError) || error.retryable,
      onError: (error) => {
        if (error instanceof BrokerError && error.code === 'BLOCKED') {
          invocation.counters.set(METRICS.brokerBlocked, 1);
        }
      },
    },
  );
}

/** Undefined when recorded; else the record went into isolation with word of the ended run. */
async function complete<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  claim: Claim | undefined,
): Promise<Outcome | undefined> {
  if (claim === undefined) return undefined;
  const { claims, now, logger } = invocation;
  return endClaim(invocation, record, { owner: claim.owner, done: true }, async () => {
    if (await claims.complete(claim, now())) return;
    logger.warn('claim lost before completion; the message may be applied twice', { ...claim });
  });
}

async function release<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  claim: Claim | undefined,
): Promise<Outcome | undefined> {
  if (claim === undefined) return undefined;
  const ended = { owner: claim.owner, done: false };
  return endClaim(invocation, record, ended, () => invocation.claims.release(claim));
}

/** The message is parked already: a marker that stays only convicts it again after a replay. */
async function clearEvidence<Payload>(invocation: Invocation<Payload>, evidence: Claim) {
  const { claims, now, settleByMs, logger } = invocation;
  try {
    await retryUntil('clear the marker', () => claims.release(evidence), {
      untilMs: settleByMs,
      now,
    });
  } catch (error) {
    logger.error('marker of a convicted message not cleared', {
      claimId: evidence.id,
      errorMessage: String(error),
    });
  }
}

/**
 * A table that can't be reached must not make an ended run look like a dead one: after half of the
 * time that is left, a copy in isolation carries the word instead, and no attempt is burned.
 */
async function endClaim<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  endedRun: EndedRun,
  change: () => Promise<unknown>,
): Promise<Outcome | undefined> {
  const { now, settleByMs, logger, flow } = invocation;
  const untilMs = now() + (settleByMs - now()) / 2;
  try {
    await retryUntil('end the claim', change, { untilMs, now });
    return undefined;
  } catch (error) {
    logger.error('table of claims unreachable; the ended run is noted on the message', {
      errorMessage: String(error),
    });
    const queue = isolatedWaitQueueName(flow.queue);
    await publish(invocation, record, queue, { suspect: true, endedRun });
    return { kind: 'deferred', queue, why: 'table' };
  }
}
