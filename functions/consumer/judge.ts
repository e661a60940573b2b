import { randomUUID } from 'node:crypto';
import type { EndedRun, Message } from '../message/types.ts';
import { classify } from '../policy/classify.ts';
import { deferralDelayMs, returnsTooLate } from '../policy/schedule.ts';
import { FAILURE_CLASSES, type Failure, type Verdict } from '../policy/types.ts';
import { decide } from '../policy/verdict.ts';
import { type Claim, type ClaimAnswer, claimId, LEASE_MARGIN_MS } from './claims.ts';
import { CONSUMER_RULES } from './consumer-rules.ts';
import { type Invocation, isIsolated } from './invocation.ts';
import { ownFailure } from './own-failure.ts';
import type { BatchRecord, MessageKey } from './record.ts';
import { retryUntil } from './retry-until.ts';
import { runHandler } from './run-handler.ts';
import { isSuspect } from './suspicion.ts';
import { triage } from './triage.ts';

/** Why a message waits without burning an attempt: no time, not due yet, claimed, table unreachable. */
export type DeferReason = 'time' | 'lap' | 'claim' | 'table';

/** What is to happen to a record; nothing of it has happened yet. */
export type Judgement =
  | { readonly kind: 'done'; readonly claim?: Claim }
  | { readonly kind: 'duplicate' }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly verdict: Verdict;
      readonly thrown?: unknown;
      /** Ends before the copy is published, so that no marker is left by a run that ended. */
      readonly claim?: Claim;
      /** Ends after the message is parked as poison. */
      readonly evidence?: Claim;
    }
  | {
      readonly kind: 'deferred';
      readonly why: DeferReason;
      readonly until?: Date;
      /** A claim that may stand in the table although nothing runs under it any more. */
      readonly endedRun?: EndedRun;
    }
  | { readonly kind: 'isolate' };

/**
 * Decides a record: triage, claim, handler, classifier, verdict. Throws only for trouble of the
 * product's own (the table can't be reached); then the record is not settled.
 */
export async function judge<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
): Promise<Judgement> {
  const { flow, canProve } = invocation;
  const { message, decodeProblem, key } = record;
  const isolated = isIsolated(flow, message.queue);
  if (isolated && message.state.endedRun) {
    // Before any other question: what was done is neither late nor poison.
    const told = await tellEndedRun(invocation, message.state.endedRun, key);
    if (told !== undefined) return told;
  }
  const now = new Date(invocation.now());
  const triaged = triage({ message, decodeProblem, flow, isolated, canProve, now });

  if (triaged.kind !== 'run' && isSuspect(message) && (await isCompleted(invocation, key))) {
    return { kind: 'duplicate' };
  }
  switch (triaged.kind) {
    case 'isolate':
      return { kind: 'isolate' };
    case 'lap':
      return deferred(invocation, message, 'lap', triaged.until);
    case 'fail':
      return failed(invocation, message, triaged.failure);
    case 'run':
      break;
  }
  if ('thrown' in key) return failedBy(invocation, message, key.thrown);
  // A claim on what nobody could find again, or without a table, would say nothing.
  if (!key.stable || !canProve) return run(invocation, record, key.value);

  const owner = `${invocation.requestId}/${randomUUID()}`;
  let answer: ClaimAnswer;
  try {
    answer = await take(invocation, key.value, owner, isolated);
  } catch (error) {
    if (!isolated) throw error;
    // The claim may have been taken all the same, and would look like a run that never ended.
    const waiting = deferred(invocation, message, 'table');
    if (waiting.kind !== 'deferred') return waiting;
    return { ...waiting, endedRun: { owner, done: false } };
  }
  switch (answer.kind) {
    case 'claimed':
      return run(invocation, record, key.value, answer.claim);
    case 'completed':
      return { kind: 'duplicate' };
    case 'held':
      return judgeHeld(invocation, message, key.value, isolated, answer);
  }
}

/** Somebody else's claim stands in the way. */
function judgeHeld<Payload>(
  invocation: Invocation<Payload>,
  message: Message,
  key: string,
  isolated: boolean,
  held: Extract<ClaimAnswer, { kind: 'held' }>,
): Judgement {
  // A twin that is being run, or a poller that re-invokes from memory after a crash: no count tells.
  if (!isolated) return { kind: 'isolate' };
  if (held.place === 'work' || held.leaseUntilMs > invocation.now()) {
    return deferred(invocation, message, 'claim', new Date(held.leaseUntilMs));
  }
  const failure = ownFailure(
    'poison',
    'layover.isolated-run-never-ended',
    'PoisonMessage',
    `An isolated run of this message alone (${held.owner}) started and never ended`,
  );
  const evidence = { id: claimId(invocation.flow.name, key), owner: held.owner };
  return { ...failed(invocation, message, failure), evidence };
}

/** Waits once more, unless `maxElapsed` is over by then: the one end that deferrals have. */
export function deferred<Payload>(
  invocation: Invocation<Payload>,
  message: Message,
  why: DeferReason,
  until?: Date,
): Judgement {
  const { schedule } = invocation.flow;
  const now = new Date(invocation.now());
  const returnsAt = until ?? new Date(now.getTime() + deferralDelayMs(schedule));
  const { firstAt, failure: earlier } = message.state;
  if (!returnsTooLate(schedule, firstAt, now, returnsAt)) {
    return { kind: 'deferred', why, ...(until ? { until } : {}) };
  }
  const since = (firstAt ?? now).toISOString();
  const text = `Still waiting ${schedule.maxElapsedMs} ms after it was first given back (${since})`;
  const cause = earlier ? `; last failure: ${earlier.name}: ${earlier.message}` : '';
  const known = FAILURE_CLASSES.find((name) => name === earlier?.class);
  const failure = ownFailure(known ?? 'stale', 'layover.max-elapsed', 'MaxElapsed', text + cause);
  // Parked whatever the flow does with stale messages: it was we who kept it waiting.
  return { kind: 'failed', failure, verdict: { kind: 'park', why: 'elapsed' } };
}

async function run<Payload>(
  invocation: Invocation<Payload>,
  record: BatchRecord,
  key: string,
  claim?: Claim,
): Promise<Judgement> {
  const end = await runHandler(invocation, record, key);
  const owned = claim ? { claim } : {};
  if (end.ok) return { kind: 'done', ...owned };
  return { ...failedBy(invocation, record.message, end.thrown), ...owned };
}

function failedBy<Payload>(invocation: Invocation<Payload>, message: Message, thrown: unknown) {
  const { flow } = invocation;
  const failure = classify(thrown, {
    rules: [...flow.rules, ...CONSUMER_RULES],
    sensitive: flow.sensitive,
    now: new Date(invocation.now()),
  });
  return { ...failed(invocation, message, failure), thrown };
}

function failed<Payload>(invocation: Invocation<Payload>, message: Message, failure: Failure) {
  const { retryCount, firstAt, origin } = message.state;
  const state = {
    retryCount,
    ...(firstAt ? { firstAt } : {}),
    ...(origin.deadline ? { deadline: origin.deadline } : {}),
  };
  const now = new Date(invocation.now());
  const verdict = decide(failure, state, invocation.flow, now, invocation.random);
  return { kind: 'failed' as const, failure, verdict };
}

async function take<Payload>(
  invocation: Invocation<Payload>,
  key: string,
  owner: string,
  isolated: boolean,
): Promise<ClaimAnswer> {
  const { flow, claims, now, settleByMs } = invocation;
  // In isolation something is left of the time to say what became of the claim.
  const untilMs = isolated ? now() + (settleByMs - now()) / 2 : settleByMs;
  return retryUntil(
    'claim the message',
    () => {
      const nowMs = now();
      const handlerEndsMs = Math.min(nowMs + flow.handlerTimeoutMs, invocation.handleByMs);
      return claims.take({
        id: claimId(flow.name, key),
        place: isolated ? 'isolated' : 'work',
        owner,
        nowMs,
        leaseUntilMs: handlerEndsMs + LEASE_MARGIN_MS,
      });
    },
    { untilMs, now },
  );
}

/**
 * A run of this message ended, but the table could not be told then. Tells it now. Gives a judgement when
 * that settles the message; undefined when it is to run again.
 */
async function tellEndedRun<Payload>(
  invocation: Invocation<Payload>,
  endedRun: EndedRun,
  key: MessageKey,
): Promise<Judgement | undefined> {
  if ('thrown' in key || !key.stable) return undefined;
  const { claims, flow, now, settleByMs } = invocation;
  const claim = { id: claimId(flow.name, key.value), owner: endedRun.owner };
  const limit = { untilMs: settleByMs, now };
  const known = await retryUntil(
    'look for the ended run',
    () => claims.look(claim.id, now()),
    limit,
  );
  if (known?.kind === 'completed') return { kind: 'duplicate' };
  if (known?.owner !== endedRun.owner) return undefined;
  if (endedRun.done) return { kind: 'done', claim };
  await retryUntil('release the ended claim', () => claims.release(claim), limit);
  return undefined;
}

async function isCompleted<Payload>(invocation: Invocation<Payload>, key: MessageKey) {
  if ('thrown' in key || !key.stable) return false;
  const { claims, flow, now, settleByMs } = invocation;
  const known = await retryUntil(
    'look for a completed record',
    () => claims.look(claimId(flow.name, key.value), now()),
    { untilMs: settleByMs, now },
  );
  return known?.kind === 'completed';
}
