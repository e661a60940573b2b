import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../../functions/policy/duration.ts';
import { exponential } from '../../../functions/policy/exponential.ts';
import { FlowDefinitionError } from '../../../functions/policy/flow-definition-error.ts';
import { givenFlow, problemsThrownBy } from './given-flow.ts';

describe('exponential', () => {
  it('doubles each wait unless told otherwise', () => {
    expect(exponential('10s', { steps: 4 })).toEqual(['10s', '20s', '40s', '80s']);
  });

  it('repeats the maximum once it is reached', () => {
    expect(exponential('10s', { factor: 6, max: '1h', steps: 6 })).toEqual([
      '10s',
      '1m',
      '6m',
      '36m',
      '1h',
      '1h',
    ]);
  });

  it('rounds a broken factor to whole milliseconds', () => {
    expect(exponential('1s', { factor: 1.5, steps: 5 })).toEqual([
      '1s',
      '1500ms',
      '2250ms',
      '3375ms',
      '5063ms',
    ]);
  });

  it('fits into a schedule as it is', () => {
    const flow = givenFlow({ schedule: { delays: exponential('10s', { factor: 3, steps: 3 }) } });

    expect(flow.schedule.delaysMs).toEqual([10_000, 30_000, 90_000]);
    expect(flow.schedule.maxAttempts).toBe(4);
  });

  it.each([
    ['0s', { steps: 3 }, 'first', "expected '100ms' or more, got '0s'"],
    ['10', { steps: 3 }, 'first', "write '10ms' or '10s'"],
    ['10s', { steps: 0 }, 'steps', 'expected a whole number from 1 to 20, got 0'],
    ['10s', { steps: 2.5 }, 'steps', 'got 2.5'],
    ['10s', {}, 'steps', 'missing; say how many waits to list'],
    ['10s', { steps: 3, factor: 1 }, 'factor', 'expected a number above 1, up to 100, got 1'],
    ['10s', { steps: 3, factor: Number.NaN }, 'factor', 'got NaN'],
    ['10s', { steps: 3, max: '5s' }, 'max', "expected '10s' or more, got '5s'"],
    ['10s', { steps: 3, maxx: '5m' }, 'maxx', "unknown key; did you mean 'max'?"],
    ['1d', { steps: 10 }, 'steps', "over the broker's ceiling of 4294967295 ms; set max"],
    ['1m', { steps: 20, factor: 100 }, 'steps', "over the broker's ceiling"],
  ])('refuses exponential(%o, %o)', (first, options, field, text) => {
    const problems = problemsThrownBy(() => exponential(first as never, options as never));

    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ field, message: expect.stringContaining(text) });
  });

  it('names itself in the error, since no flow is known yet', () => {
    const act = () => exponential('10s', { steps: 99 });

    expect(act).toThrow(FlowDefinitionError);
    expect(act).toThrow('exponential() is not usable, 1 problem:\n- steps: expected');
  });

  it('never lists a wait that is shorter than the one before', () => {
    const options = {
      factor: fc.double({ min: 1.01, max: 4, noNaN: true }),
      steps: fc.integer({ min: 1, max: 10 }),
    };
    fc.assert(
      fc.property(fc.record(options), ({ factor, steps }) => {
        const delaysMs = exponential('1s', { factor, steps }).map(parseDuration);

        expect(delaysMs).toHaveLength(steps);
        expect(delaysMs).toEqual([...delaysMs].sort((a, b) => a - b));
      }),
    );
  });
});
