import { describe, expect, it } from 'vitest';
import { FlowDefinitionError } from '../../../functions/policy/flow-definition-error.ts';
import { scaleFlow } from '../../../functions/policy/scale-flow.ts';
import { laneDelays } from '../../../functions/policy/schedule.ts';
import { givenFlow } from './given-flow.ts';

describe('scaleFlow', () => {
  it('divides delays, maxElapsed and maxRetryAfter', () => {
    const scaled = scaleFlow(givenFlow(), 120);

    expect(scaled.schedule).toEqual({
      delaysMs: [83, 500, 2_500, 15_000],
      maxAttempts: 5,
      maxElapsedMs: 720_000,
      maxRetryAfterMs: 15_000,
      jitter: { lanes: 1, spread: 0 },
    });
  });

  it('divides the ages that automatic replay asks for, and no ages of none', () => {
    const replay = { automatic: ['transient'], minAge: '15m', maxAge: '1d' } as const;

    expect(scaleFlow(givenFlow({ replay }), 120).replay).toMatchObject({
      minAgeMs: 7_500,
      maxAgeMs: 720_000,
      hourlyBudget: 500,
      ratePerSecond: 10,
    });
    expect(scaleFlow(givenFlow({ replay: { minAge: '0s' } }), 120).replay.minAgeMs).toBe(0);
  });

  it('leaves alone what takes real time, and the flow it was given', () => {
    const flow = givenFlow({ handlerTimeout: '20s', batch: { window: '5s' } });
    const before = structuredClone(flow.schedule);

    const scaled = scaleFlow(flow, 60);

    const { schedule, replay } = flow;
    expect({ ...scaled, schedule, replay }).toEqual(flow);
    expect(flow.schedule).toEqual(before);
    expect(Object.isFrozen(scaled.schedule.delaysMs)).toBe(true);
  });

  it('returns the same flow at scale 1', () => {
    const flow = givenFlow();

    expect(scaleFlow(flow, 1)).toBe(flow);
  });

  it('waits at least a millisecond, and lets delays that become equal share a queue', () => {
    const flow = givenFlow({ schedule: { delays: ['100ms', '200ms', '10s', '1m'] } });

    const { schedule } = scaleFlow(flow, 10_000);

    expect(schedule.delaysMs).toEqual([1, 1, 1, 6]);
    expect(schedule.maxAttempts).toBe(5);
    expect(laneDelays(schedule)).toEqual([1, 6]);
  });

  it('keeps delays apart that a millisecond tells apart, and their order', () => {
    const { schedule } = scaleFlow(givenFlow(), 300);

    expect(schedule.delaysMs).toEqual([33, 200, 1_000, 6_000]);
  });

  it('scales the one wait of a flow that never retries', () => {
    const { schedule } = scaleFlow(givenFlow({ schedule: { maxAttempts: 1 } }), 100);

    expect(laneDelays(schedule)).toEqual([100]);
  });

  it('keeps jitter lanes in proportion', () => {
    const flow = givenFlow({ schedule: { delays: ['30s'], jitter: true } });

    expect(laneDelays(scaleFlow(flow, 100).schedule)).toEqual([300, 330, 360]);
  });

  it.each([[0], [0.5], [-1], [Number.NaN], [Number.POSITIVE_INFINITY]])(
    'refuses a scale of %d',
    (scale) => {
      const act = () => scaleFlow(givenFlow(), scale);

      expect(act).toThrow(FlowDefinitionError);
      expect(act).toThrow(
        `flow 'orders' with this time scale is not usable, 1 problem:\n- scale: expected a number from 1 up, such as 120, got ${scale}`,
      );
    },
  );
});
