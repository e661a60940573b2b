import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durationText } from '../../../functions/policy/duration.ts';
import { scaleFlow } from '../../../functions/policy/scale-flow.ts';
import { laneDelays } from '../../../functions/policy/schedule.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { delayName, parkedLockName } from '../../../functions/topology/names.ts';
import { arbitrarySchedule } from './arbitrary-schedule.ts';
import { complaintsOf, givenFlow } from './given-flow.ts';

const LONGEST_TTL_MS = 4_294_967_295;

/** Policy and topology import nothing of each other, so only a test can hold them together. */
describe('policy and topology', () => {
  it('name a delay alike', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: LONGEST_TTL_MS }), (ms) => {
        expect(durationText(ms)).toBe(delayName(ms));
      }),
    );
  });

  const waitsOf = (flow: Flow) =>
    buildTopology([flow])
      .queues.filter(({ role }) => role === 'wait')
      .map(({ delayMs }) => delayMs)
      .sort((a = 0, b = 0) => a - b);

  it('know the same waits, with lanes and without, scaled or not', () => {
    fc.assert(
      fc.property(arbitrarySchedule(), fc.integer({ min: 1, max: 500 }), (schedule, scale) => {
        const flow = scaleFlow({ ...givenFlow(), schedule }, scale);

        expect(waitsOf(flow)).toEqual(laneDelays(flow.schedule));
      }),
    );
  });

  it('know the same wait where nothing is ever retried', () => {
    const flow = givenFlow({ schedule: { maxAttempts: 1 } });

    expect(waitsOf(flow)).toEqual(laneDelays(flow.schedule));
  });

  it('case 6: a queue name a flow may have leaves room for every name derived from it', () => {
    const schedule = { delays: [`${LONGEST_TTL_MS}ms`], maxElapsed: '60d' } as const;
    const flow = givenFlow({ queue: 'é'.repeat(81), schedule });

    const names = buildTopology([flow]).queues.map(({ name }) => name);

    for (const name of [...names, parkedLockName(flow.queue)]) {
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    }
    expect(complaintsOf({ queue: 'é'.repeat(82) })).toHaveLength(1);
  });

  it('case 6: two flows with the same delay wait in queues of their own', () => {
    const schedule = { delays: ['30s'] } as const;
    const flows = [givenFlow({ name: 'orders', schedule }), givenFlow({ name: 'mails', schedule })];

    const waits = buildTopology(flows).queues.filter(({ role }) => role === 'wait');

    expect(waits.map(({ name }) => name)).toEqual(['orders.wait.30s', 'mails.wait.30s']);
  });
});
