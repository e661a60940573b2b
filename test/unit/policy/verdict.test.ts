import { describe, expect, it } from 'vitest';
import type { FlowDefinition } from '../../../functions/policy/flow-definition.ts';
import {
  type AttemptState,
  FAILURE_CLASSES,
  type Failure,
  type FailureClass,
  type Flow,
  type Verdict,
} from '../../../functions/policy/types.ts';
import { decide } from '../../../functions/policy/verdict.ts';
import { givenFlow } from './given-flow.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function failure(name: FailureClass, more: Partial<Failure> = {}): Failure {
  return { class: name, rule: 'r', signature: 's', name: 'Error', message: 'm', ...more };
}

function verdictOf(
  given: Failure,
  state: Partial<AttemptState> = {},
  definition: Partial<FlowDefinition> = {},
): Verdict {
  return decide(given, { retryCount: 0, ...state }, givenFlow(definition), NOW, () => 0);
}

const retry = (delayMs: number): Verdict => ({ kind: 'retry', delayMs });
const park = (why: Extract<Verdict, { kind: 'park' }>['why']): Verdict => ({ kind: 'park', why });

/** State of the message by name; the table below says what each class makes of it. */
const STATES: Record<string, Partial<AttemptState>> = {
  'first attempt': {},
  'third attempt': { retryCount: 2, firstAt: later(-70_000) },
  'last attempt': { retryCount: 4, firstAt: later(-HOUR_MS) },
  'past maxElapsed': { retryCount: 1, firstAt: later(-DAY_MS) },
  'past its deadline': { retryCount: 1, firstAt: later(-MINUTE_MS), deadline: later(-1) },
};
const PARKED_AT_ONCE = Array<Verdict>(5).fill(park('policy'));

/** In the order of STATES. */
const TABLE: Record<FailureClass, readonly Verdict[]> = {
  transient: [
    retry(10_000),
    retry(5 * MINUTE_MS),
    park('attempts-exhausted'),
    park('elapsed'),
    park('deadline'),
  ],
  backpressure: [
    retry(MINUTE_MS),
    retry(30 * MINUTE_MS),
    park('attempts-exhausted'),
    park('elapsed'),
    park('deadline'),
  ],
  invalid: PARKED_AT_ONCE,
  contract: PARKED_AT_ONCE,
  bug: PARKED_AT_ONCE,
  poison: PARKED_AT_ONCE,
  security: PARKED_AT_ONCE,
  stale: [...PARKED_AT_ONCE.slice(0, 4), park('deadline')],
  duplicate: Array<Verdict>(5).fill({ kind: 'acknowledge' }),
  undelivered: PARKED_AT_ONCE,
  unknown: [
    retry(10_000),
    park('class-retries-exhausted'),
    park('attempts-exhausted'),
    park('elapsed'),
    park('deadline'),
  ],
};

describe('the default verdict', () => {
  const rows = FAILURE_CLASSES.flatMap((name) =>
    Object.entries(STATES).map(([state, given], index) => ({
      name,
      state,
      given,
      expected: TABLE[name][index],
    })),
  );

  it.each(rows)(
    '$name on the $state: $expected.kind $expected.why',
    ({ name, given, expected }) => {
      expect(verdictOf(failure(name), given)).toEqual(expected);
    },
  );

  it('case 2: a validation error on attempt 1 is parked at once, without a wait', () => {
    expect(verdictOf(failure('invalid'))).toEqual(park('policy'));
  });

  it('case 2: so it is again when a person replays it', () => {
    // Replay starts at attempt 1 again; the first failure was long ago.
    expect(verdictOf(failure('invalid'), { firstAt: later(-DAY_MS) })).toEqual(park('policy'));
  });

  it('retries what is unknown twice at most', () => {
    const kinds = [0, 1, 2, 3].map((retryCount) => verdictOf(failure('unknown'), { retryCount }));

    expect(kinds).toEqual([
      retry(10_000),
      retry(MINUTE_MS),
      park('class-retries-exhausted'),
      park('class-retries-exhausted'),
    ]);
  });

  it('walks along the whole schedule for what is transient', () => {
    const walk = [0, 1, 2, 3, 4].map((retryCount) =>
      verdictOf(failure('transient'), { retryCount }),
    );

    expect(walk).toEqual([
      retry(10_000),
      retry(MINUTE_MS),
      retry(5 * MINUTE_MS),
      retry(30 * MINUTE_MS),
      park('attempts-exhausted'),
    ]);
  });

  it('starts at the only tier there is for backpressure', () => {
    const schedule = { delays: ['5s'] } as const;

    expect(verdictOf(failure('backpressure'), {}, { schedule })).toEqual(retry(5_000));
  });
});

describe('Retry-After', () => {
  it('is a floor: the smallest tier that is long enough', () => {
    const given = failure('backpressure', { retryAfterMs: 2 * MINUTE_MS });

    expect(verdictOf(given)).toEqual(retry(5 * MINUTE_MS));
  });

  it('is no ceiling: a shorter one leaves the schedule as it is', () => {
    const given = failure('transient', { retryAfterMs: 1_000 });

    expect(verdictOf(given, { retryCount: 2 })).toEqual(retry(5 * MINUTE_MS));
  });

  it('case 16: 99999999 seconds wait no longer than the top tier', () => {
    const given = failure('backpressure', { retryAfterMs: 99_999_999_000 });

    expect(verdictOf(given)).toEqual(retry(30 * MINUTE_MS));
  });

  it('laps where the flow honours more than its top tier', () => {
    const given = failure('backpressure', { retryAfterMs: 2 * HOUR_MS });
    const schedule = { maxRetryAfter: '3h' } as const;

    expect(verdictOf(given, {}, { schedule })).toEqual({
      kind: 'retry',
      delayMs: 30 * MINUTE_MS,
      notBefore: later(2 * HOUR_MS),
    });
  });

  it('does not bring back what its class parks', () => {
    expect(verdictOf(failure('invalid', { retryAfterMs: 1_000 }))).toEqual(park('policy'));
  });
});

describe('maxElapsed', () => {
  const schedule = { delays: ['10s', '1m'], maxElapsed: '2m', maxAttempts: 9 } as const;
  const at = (retryCount: number, firstAt: Date) =>
    verdictOf(failure('transient'), { retryCount, firstAt }, { schedule });

  it('allows a retry that comes back in time to the millisecond', () => {
    expect(at(1, later(-MINUTE_MS))).toEqual(retry(MINUTE_MS));
    expect(at(1, later(-MINUTE_MS - 1))).toEqual(park('elapsed'));
  });

  it('counts laps as well', () => {
    const given = failure('transient', { explicit: { kind: 'retry', afterMs: 23 * HOUR_MS } });

    expect(verdictOf(given)).toMatchObject({ kind: 'retry', notBefore: later(23 * HOUR_MS) });
    expect(verdictOf(given, { firstAt: later(-2 * HOUR_MS) })).toEqual(park('elapsed'));
  });

  it('is not stretched by a first time in the future', () => {
    expect(at(1, later(HOUR_MS))).toEqual(retry(MINUTE_MS));
    const given = failure('transient', { explicit: { kind: 'retry', afterMs: 3 * MINUTE_MS } });
    expect(verdictOf(given, { firstAt: later(HOUR_MS) }, { schedule })).toEqual(park('elapsed'));
  });
});

describe("the sender's deadline", () => {
  it('case 48: passed at the next attempt, ends the retries', () => {
    const state = { retryCount: 1, deadline: later(-28_000) };

    expect(verdictOf(failure('transient'), state)).toEqual(park('deadline'));
    expect(verdictOf(failure('stale'), state)).toEqual(park('deadline'));
  });

  it('case 48: ends them at once when it would pass in the wait', () => {
    // expiration 2000 and a first tier of 10 s: nobody wants the message when it comes back.
    expect(verdictOf(failure('transient'), { deadline: later(2_000) })).toEqual(park('deadline'));
    expect(verdictOf(failure('transient'), { deadline: later(10_000) })).toEqual(park('deadline'));
    expect(verdictOf(failure('transient'), { deadline: later(10_001) })).toEqual(retry(10_000));
  });

  it('discards where the flow says so of what is stale', () => {
    const verdicts = { stale: 'discard' } as const;

    expect(verdictOf(failure('transient'), { deadline: later(-1) }, { verdicts })).toEqual({
      kind: 'discard',
    });
  });

  it('parks even when the flow would retry what is stale', () => {
    const verdicts = { stale: 'retry' } as const;

    expect(verdictOf(failure('stale'), { deadline: later(-1) }, { verdicts })).toEqual(
      park('deadline'),
    );
    expect(verdictOf(failure('stale'), {}, { verdicts })).toEqual(retry(10_000));
  });

  it('changes nothing for what is parked anyway', () => {
    const verdicts = { stale: 'discard' } as const;

    expect(verdictOf(failure('bug'), { deadline: later(-1) }, { verdicts })).toEqual(
      park('policy'),
    );
  });
});

describe("the handler's own word", () => {
  const every = FAILURE_CLASSES.map((name) => [name] as const);

  it.each(every)('Park goes before the policy of %s', (name) => {
    expect(verdictOf(failure(name, { explicit: { kind: 'park' } }))).toEqual(park('explicit'));
  });

  it.each(every)('Discard goes before the policy of %s', (name) => {
    expect(verdictOf(failure(name, { explicit: { kind: 'discard' } }))).toEqual({
      kind: 'discard',
    });
  });

  const retryLater = (afterMs?: number) =>
    failure('unknown', {
      explicit: afterMs === undefined ? { kind: 'retry' } : { kind: 'retry', afterMs },
    });

  it('RetryLater takes the wait it names, and the schedule when it names none', () => {
    expect(verdictOf(retryLater(5 * MINUTE_MS))).toEqual(retry(5 * MINUTE_MS));
    expect(verdictOf(retryLater(2 * MINUTE_MS))).toEqual(retry(5 * MINUTE_MS));
    expect(verdictOf(retryLater(), { retryCount: 1 })).toEqual(retry(MINUTE_MS));
  });

  it('RetryLater is not held back by the limit of a class', () => {
    expect(verdictOf(retryLater(), { retryCount: 3 })).toEqual(retry(30 * MINUTE_MS));
    const parked = failure('invalid', { explicit: { kind: 'retry' } });
    expect(verdictOf(parked)).toEqual(retry(10_000));
  });

  it('RetryLater is capped by maxAttempts, maxElapsed and the deadline', () => {
    expect(verdictOf(retryLater(), { retryCount: 4 })).toEqual(park('attempts-exhausted'));
    expect(verdictOf(retryLater(2 * DAY_MS))).toEqual(park('elapsed'));
    expect(verdictOf(retryLater(Number.POSITIVE_INFINITY))).toEqual(park('elapsed'));
    expect(verdictOf(retryLater(), { deadline: later(5_000) })).toEqual(park('deadline'));
  });

  it('RetryLater with a wait that is no number takes the schedule', () => {
    expect(verdictOf(retryLater(Number.NaN))).toEqual(retry(10_000));
    expect(verdictOf(retryLater(-1))).toEqual(retry(10_000));
  });
});

describe('an impossible verdict', () => {
  it('is to park: a flow that never retries', () => {
    const schedule = { maxAttempts: 1 };

    for (const name of ['transient', 'backpressure', 'unknown'] as const) {
      expect(verdictOf(failure(name), {}, { schedule })).toEqual(park('attempts-exhausted'));
    }
  });

  it.each([['poison'], ['duplicate'], ['undelivered']] as const)(
    'is to park: a retry of %s, by policy or by word',
    (name) => {
      const flow = givenFlow();
      const verdicts: Flow['verdicts'] = { ...flow.verdicts, [name]: { action: 'retry' } };
      const of = (given: Failure) =>
        decide(given, { retryCount: 0 }, { ...flow, verdicts }, NOW, () => 0);

      expect(of(failure(name))).toEqual(park('policy'));
      expect(of(failure(name, { explicit: { kind: 'retry' } }))).toEqual(park('policy'));
    },
  );

  it('is to park: an acknowledgement of work that was not done', () => {
    const flow = givenFlow();
    const verdicts: Flow['verdicts'] = { ...flow.verdicts, bug: { action: 'acknowledge' } };

    expect(decide(failure('bug'), { retryCount: 0 }, { ...flow, verdicts }, NOW, () => 0)).toEqual(
      park('policy'),
    );
  });

  it('is to park: a class nobody knows', () => {
    for (const name of ['', 'fatal', '__proto__', 'constructor']) {
      expect(verdictOf(failure(name as FailureClass))).toEqual(park('policy'));
    }
  });

  it.each([
    [-100, retry(10_000)],
    [0.5, retry(MINUTE_MS)],
    [1e9, park('attempts-exhausted')],
    [Number.POSITIVE_INFINITY, park('attempts-exhausted')],
    [Number.NaN, park('attempts-exhausted')],
  ])('case 50: a count of %d is clamped or exhausted', (retryCount, expected) => {
    expect(verdictOf(failure('transient'), { retryCount })).toEqual(expected);
  });

  it('is to park: a clock that tells no time', () => {
    const never = new Date(Number.NaN);

    expect(decide(failure('transient'), { retryCount: 0 }, givenFlow(), never, () => 0)).toEqual(
      park('elapsed'),
    );
  });
});
