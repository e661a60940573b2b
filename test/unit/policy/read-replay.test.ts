import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES } from '../../../functions/policy/types.ts';
import { complaintsOf, givenFlow } from './given-flow.ts';

const replay = (value: unknown) => complaintsOf({ replay: value });

describe('the replay settings of a flow', () => {
  it('replay nothing by themselves, and are guarded all the same', () => {
    expect(givenFlow().replay).toEqual({
      automatic: [],
      minAgeMs: 900_000,
      maxAgeMs: 259_200_000,
      lifetimeCap: 3,
      batch: 100,
      hourlyBudget: 500,
      ratePerSecond: 10,
      workDepthCeiling: 1_000,
      quietAlarms: [],
      acceptFrom: [],
    });
  });

  it('take what the flow says', () => {
    const stillWanted = () => true;
    const flow = givenFlow({
      replay: {
        automatic: ['transient', 'backpressure', 'undelivered'],
        minAge: '0s',
        maxAge: '7d',
        lifetimeCap: 1,
        batch: 10,
        hourlyBudget: 10,
        ratePerSecond: 0.5,
        workDepthCeiling: 0,
        quietAlarms: ['payments-down'],
        acceptFrom: ['legacy.orders', 'unknown'],
        stillWanted,
      },
    });

    expect(flow.replay).toEqual({
      automatic: ['transient', 'backpressure', 'undelivered'],
      minAgeMs: 0,
      maxAgeMs: 604_800_000,
      lifetimeCap: 1,
      batch: 10,
      hourlyBudget: 10,
      ratePerSecond: 0.5,
      workDepthCeiling: 0,
      quietAlarms: ['payments-down'],
      acceptFrom: ['legacy.orders', 'unknown'],
      stillWanted,
    });
  });

  const others = FAILURE_CLASSES.filter(
    (name) => !['transient', 'backpressure', 'undelivered'].includes(name),
  );
  it.each(others)('never replay %s without a person', (name) => {
    expect(replay({ automatic: ['transient', name] })).toEqual([
      `replay.automatic: '${name}' would only fail again and needs a person; only 'transient', 'backpressure', 'undelivered' may be listed`,
    ]);
  });

  it.each([
    [{ automatic: ['netwrok'] }, "automatic: 'netwrok' is no class of failure"],
    [{ automatic: 'transient' }, 'automatic: expected a list of classes'],
    [{ automatic: ['transient', 'transient'] }, "automatic[1]: 'transient' is listed twice"],
    [{ automatic: [7] }, 'automatic[0]: expected a text that is not empty, got 7'],
    [{ minAge: '3d' }, 'maxAge: nothing is older than minAge and younger than maxAge'],
    [{ minAge: '1h', maxAge: '1h' }, 'maxAge: nothing is older than minAge'],
    [{ minAge: 15 }, "minAge: expected a duration such as '500ms'"],
    [{ maxAge: '366d' }, "maxAge: expected at most '365d', got '366d'"],
    [{ batch: 501 }, 'batch: a batch of 501 is more than the hourly budget of 500'],
    [{ hourlyBudget: 99 }, 'batch: a batch of 100 is more than the hourly budget of 99'],
    [{ lifetimeCap: 0 }, 'lifetimeCap: expected a whole number from 1 to 1000, got 0'],
    [{ ratePerSecond: 0 }, 'ratePerSecond: expected a number above 0, up to 1000, got 0'],
    [{ ratePerSecond: Number.NaN }, 'ratePerSecond: expected a number above 0'],
    [{ workDepthCeiling: -1 }, 'workDepthCeiling: expected a whole number from 0'],
    [{ quietAlarms: [''] }, 'quietAlarms[0]: expected a text that is not empty'],
    [
      { acceptFrom: 'legacy' },
      "acceptFrom: expected a list of queues, 'exchange/routing-key' routes",
    ],
    [{ stillWanted: true }, 'stillWanted: expected a function, (message) => boolean, got true'],
    [{ automatik: [] }, "automatik: unknown key; did you mean 'automatic'?"],
    [{ batchSize: 5 }, "batchSize: unknown key; did you mean 'batch'?"],
  ])('refuse %o', (given, complaint) => {
    expect(replay(given)).toEqual([expect.stringContaining(`replay.${complaint}`)]);
  });
});
