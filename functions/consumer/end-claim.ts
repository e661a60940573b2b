import type { EndedRun } from '../message/types.ts';
import { isolatedWaitQueueName } from '../topology/names.ts';
import type { Claim } from './claims.ts';
import type { Invocation } from './invocation.ts';
import type { Outcome } from './outcome.ts';
import { publishCopy } from './publish-copy.ts';
import type { BatchRecord } from './record.ts';
import { retryUntil } from './retry-until.ts';

/** Undefined when recorded; else the record went into isolation with word of the ended run. */
export async function complete<Payload>(
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

export async function release<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  claim: Claim | undefined,
): Promise<Outcome | undefined> {
  if (claim === undefined) return undefined;
  const ended = { owner: claim.owner, done: false };
  return endClaim(invocation, record, ended, () => invocation.claims.release(claim));
}

/** The message is parked already: a marker that stays only convicts it again after a replay. */
export async function clearEvidence<Payload>(invocation: Invocation<Payload>, evidence: Claim) {
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
    await publishCopy(invocation, record, queue, { suspect: true, endedRun });
    return { kind: 'deferred', queue, why: 'table' };
  }
}
