import { CopyError } from '../message/errors.ts';
import { deferralDelayMs, nextLap } from '../policy/schedule.ts';
import {
  isolatedQueueName,
  isolatedWaitQueueName,
  parkedQueueName,
  waitQueueName,
} from '../topology/names.ts';
import { clearEvidence, complete, release } from './end-claim.ts';
import { type Invocation, isIsolated } from './invocation.ts';
import type { Judgement } from './judge.ts';
import type { Outcome } from './outcome.ts';
import { ownFailure } from './own-failure.ts';
import { publishCopy } from './publish-copy.ts';
import type { BatchRecord } from './record.ts';

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
    await publishCopy(
      invocation,
      record,
      queue,
      { failure, suspect: false },
      { unsendable: 'drop' },
    );
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
      await publishCopy(invocation, record, queue, { suspect: true });
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
      await publishCopy(invocation, record, queue, { failure, suspect: false });
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
      await publishCopy(invocation, record, queue, {
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
  { why, until, endedRun: justEnded }: Extract<Judgement, { kind: 'deferred' }>,
): Promise<Outcome> {
  const { flow } = invocation;
  const now = new Date(invocation.now());
  const delayMs = nextLap(until, now, flow.schedule) ?? deferralDelayMs(flow.schedule);
  const queue = isIsolated(flow, record.message.queue)
    ? isolatedWaitQueueName(flow.queue)
    : waitQueueName(flow.queue, delayMs);
  // A waiting message keeps its word of an ended run until the table has been told.
  const endedRun = justEnded ?? record.message.state.endedRun;
  await publishCopy(invocation, record, queue, {
    ...(until ? { notBefore: until } : {}),
    ...(endedRun ? { endedRun } : {}),
  });
  return { kind: 'deferred', queue, why };
}
