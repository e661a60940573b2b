import { chooseWait, returnsTooLate } from './schedule.ts';
import type {
  AttemptState,
  ClassPolicy,
  Failure,
  FailureClass,
  Flow,
  ParkReason,
  Verdict,
} from './types.ts';

/** Classes no retry can help: done already, or never handed to the handler again. */
const NEVER_RETRIED: ReadonlySet<FailureClass> = new Set(['duplicate', 'poison', 'undelivered']);

/**
 * What happens to a message whose handler failed. Pure and total: it never throws, and a verdict
 * that is impossible (a retry with no attempt left, an acknowledgement of work not done, a class
 * nobody knows) is to park, so that no message is lost by a mistake in a policy.
 *
 * The handler's own word (`RetryLater`, `Park`, `Discard`) goes before the class's policy, but
 * `maxAttempts`, `maxElapsed` and the sender's deadline cap it too.
 */
export function decide(
  failure: Failure,
  state: AttemptState,
  flow: Pick<Flow, 'schedule' | 'verdicts'>,
  now: Date,
  random: () => number,
): Verdict {
  switch (failure.explicit?.kind) {
    case 'park':
      return park('explicit');
    case 'discard':
      return { kind: 'discard' };
    case 'retry':
      return retry(failure, state, flow, { action: 'retry' }, now, random);
    case undefined:
      return byPolicy(failure, state, flow, now, random);
  }
}

function byPolicy(
  failure: Failure,
  state: AttemptState,
  flow: Pick<Flow, 'schedule' | 'verdicts'>,
  now: Date,
  random: () => number,
): Verdict {
  const policy: ClassPolicy | undefined = flow.verdicts[failure.class];
  switch (policy?.action) {
    case 'acknowledge':
      // Anything but a duplicate was not done: giving it up would be a loss.
      return failure.class === 'duplicate' ? { kind: 'acknowledge' } : park('policy');
    case 'discard':
      return { kind: 'discard' };
    case 'park':
      return park(failure.class === 'stale' && isOver(state.deadline, now) ? 'deadline' : 'policy');
    case 'retry':
      return retry(failure, state, flow, policy, now, random);
    case undefined:
      return park('policy');
  }
}

function retry(
  failure: Failure,
  state: AttemptState,
  flow: Pick<Flow, 'schedule' | 'verdicts'>,
  policy: Extract<ClassPolicy, { action: 'retry' }>,
  now: Date,
  random: () => number,
): Verdict {
  if (NEVER_RETRIED.has(failure.class)) return park('policy');
  const done = retriesSoFar(state.retryCount);
  // Negated, so that a limit that is no number never lets a message round again.
  if (!(done + 1 < flow.schedule.maxAttempts)) return park('attempts-exhausted');
  if (policy.maxRetries !== undefined && !(done < policy.maxRetries)) {
    return park('class-retries-exhausted');
  }

  const wait = chooseWait(
    flow.schedule,
    {
      retry: done + 1,
      fromTier: policy.fromTier,
      floorMs: failure.retryAfterMs,
      insteadMs: failure.explicit?.kind === 'retry' ? failure.explicit.afterMs : undefined,
    },
    now,
    random,
  );
  if (isOver(state.deadline, wait.returnsAt)) return pastDeadline(flow);
  if (returnsTooLate(flow.schedule, state.firstAt, now, wait.returnsAt)) return park('elapsed');
  const { delayMs, notBefore } = wait;
  return notBefore ? { kind: 'retry', delayMs, notBefore } : { kind: 'retry', delayMs };
}

/** The sender no longer wants it by the time it would run: the flow's word on `stale` counts. */
function pastDeadline(flow: Pick<Flow, 'verdicts'>): Verdict {
  return flow.verdicts.stale?.action === 'discard' ? { kind: 'discard' } : park('deadline');
}

/** A deadline is over at its own instant: the broker, too, expires a message when its TTL is up. */
function isOver(deadline: Date | undefined, at: Date): boolean {
  return deadline !== undefined && deadline.getTime() <= at.getTime();
}

/** The counter, made safe: a negative one is 0, and one that is no number is exhausted. */
function retriesSoFar(retryCount: number): number {
  return Number.isNaN(retryCount) ? Number.POSITIVE_INFINITY : Math.max(0, Math.ceil(retryCount));
}

function park(why: ParkReason): Verdict {
  return { kind: 'park', why };
}
