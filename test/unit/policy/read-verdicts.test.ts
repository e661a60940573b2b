import { describe, expect, it } from 'vitest';
import { ALLOWED_ACTIONS, DEFAULT_VERDICTS } from '../../../functions/policy/flow-defaults.ts';
import { FAILURE_CLASSES } from '../../../functions/policy/types.ts';
import { complaintsOf, givenFlow } from './given-flow.ts';

const ACTIONS = ['retry', 'park', 'discard', 'acknowledge'] as const;

describe('the verdicts of a flow', () => {
  it('are the defaults for every class the flow says nothing about', () => {
    const flow = givenFlow({ verdicts: { invalid: 'discard' } });

    expect(flow.verdicts).toEqual({ ...DEFAULT_VERDICTS, invalid: { action: 'discard' } });
    expect(Object.keys(flow.verdicts)).toEqual([...FAILURE_CLASSES]);
  });

  it.each([
    ['transient', { action: 'retry' }],
    ['backpressure', { action: 'retry', fromTier: 1 }],
    ['invalid', { action: 'park' }],
    ['contract', { action: 'park' }],
    ['bug', { action: 'park' }],
    ['poison', { action: 'park' }],
    ['security', { action: 'park' }],
    ['stale', { action: 'park' }],
    ['duplicate', { action: 'acknowledge' }],
    ['undelivered', { action: 'park' }],
    ['unknown', { action: 'retry', maxRetries: 2 }],
  ] as const)('by default, %s means %o', (name, policy) => {
    expect(givenFlow().verdicts[name]).toEqual(policy);
  });

  it('may be written short or as an object', () => {
    const flow = givenFlow({ verdicts: { stale: 'discard', bug: { action: 'retry' } } });

    expect(flow.verdicts.stale).toEqual({ action: 'discard' });
    expect(flow.verdicts.bug).toEqual({ action: 'retry' });
  });

  it("keep what a retry leaves out at the class's default", () => {
    const flow = givenFlow({
      verdicts: {
        unknown: 'retry',
        backpressure: { action: 'retry', maxRetries: 3 },
        transient: { action: 'retry', maxRetries: 1, fromTier: 2 },
      },
    });

    expect(flow.verdicts).toMatchObject({
      unknown: { action: 'retry', maxRetries: 2 },
      backpressure: { action: 'retry', maxRetries: 3, fromTier: 1 },
      transient: { action: 'retry', maxRetries: 1, fromTier: 2 },
    });
  });

  it('do not change the defaults of the next flow', () => {
    givenFlow({ verdicts: { transient: { action: 'retry', fromTier: 3 }, unknown: 'park' } });

    expect(givenFlow().verdicts).toEqual(DEFAULT_VERDICTS);
  });

  const pairs = FAILURE_CLASSES.flatMap((name) => ACTIONS.map((action) => [name, action] as const));
  it.each(pairs)('%s to %s is possible or refused as ALLOWED_ACTIONS says', (name, action) => {
    const short = complaintsOf({ verdicts: { [name]: action } });
    const long = complaintsOf({ verdicts: { [name]: { action } } });

    if (ALLOWED_ACTIONS[name].includes(action)) {
      expect([...short, ...long]).toEqual([]);
    } else {
      expect(short).toEqual([expect.stringContaining(`verdicts.${name}: `)]);
      expect(long).toEqual([expect.stringContaining(`verdicts.${name}.action: `)]);
    }
  });

  it.each([
    [
      { duplicate: 'retry' },
      "duplicate: a duplicate was done already and can't be retried; write 'acknowledge' or 'park' or 'discard'",
    ],
    [
      { poison: { action: 'retry' } },
      "poison.action: a poison message is proven to kill the function and can't be retried; write 'park' or 'discard'",
    ],
    [
      { undelivered: 'discard' },
      "undelivered: the broker has parked these messages itself, nothing else can happen to them; write 'park'",
    ],
    [
      { transient: 'acknowledge' },
      "transient: only 'duplicate' was done before and may be acknowledged; write 'retry' or 'park' or 'discard'",
    ],
    [
      { stale: 'drop' },
      "stale: expected one of 'retry', 'park', 'discard', 'acknowledge', got 'drop'",
    ],
    [{ stale: null }, 'stale: expected one of'],
    [{ stale: ['park'] }, 'stale: expected one of'],
    [{ stale: {} }, 'stale.action: missing; give one of retry, park, discard'],
    [{ stael: 'park' }, "stael: unknown key; did you mean 'stale'?"],
    [
      { transient: { action: 'retry', maxretries: 2 } },
      "transient.maxretries: unknown key; did you mean 'maxRetries'?",
    ],
    [
      { transient: { action: 'retry', maxRetries: 0 } },
      'transient.maxRetries: expected a whole number from 1 to 1000, got 0',
    ],
    [
      { transient: { action: 'retry', maxRetries: 5 } },
      'transient.maxRetries: 5 is more than the 4 retries of the schedule; raise schedule.maxAttempts to 6 or lower it',
    ],
    [
      { transient: { action: 'retry', fromTier: 4 } },
      'transient.fromTier: there is no delay 4; they are counted from 0, and the last is 3',
    ],
    [{ transient: { action: 'retry', fromTier: -1 } }, 'transient.fromTier: expected a whole'],
    [
      { invalid: { action: 'park', maxRetries: 2 } },
      "invalid.maxRetries: means nothing when the action is 'park'; remove it, or write 'retry'",
    ],
  ])('refuse %o', (verdicts, complaint) => {
    expect(complaintsOf({ verdicts })).toEqual([expect.stringContaining(`verdicts.${complaint}`)]);
  });

  it('may name the last retry and the last delay there are', () => {
    const verdicts = { transient: { action: 'retry', maxRetries: 4, fromTier: 3 } } as const;

    expect(complaintsOf({ verdicts })).toEqual([]);
  });

  it('can not retry where the schedule never does', () => {
    const schedule = { maxAttempts: 1 };

    expect(complaintsOf({ schedule, verdicts: { transient: 'retry' } })).toEqual([
      "verdicts.transient: the schedule never retries (maxAttempts 1), so this can't; raise schedule.maxAttempts or write 'park'",
    ]);
    expect(complaintsOf({ schedule, verdicts: { invalid: 'discard' } })).toEqual([]);
  });

  it('are not compared with a schedule that is wrong itself', () => {
    const verdicts = { transient: { action: 'retry', maxRetries: 50, fromTier: 9 } };

    expect(complaintsOf({ schedule: { delays: ['soon'] }, verdicts })).toEqual([
      expect.stringContaining('schedule.delays[0]: expected a duration'),
    ]);
  });

  it('are an object', () => {
    expect(complaintsOf({ verdicts: 'park' })).toEqual([
      expect.stringContaining('verdicts: expected an object with transient, backpressure,'),
    ]);
  });
});
