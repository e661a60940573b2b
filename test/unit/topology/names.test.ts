import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TopologyError } from '../../../functions/topology/errors.ts';
import {
  delayName,
  isolatedQueueName,
  isolatedWaitQueueName,
  parkedLockName,
  parkedQueueName,
  waitQueueName,
} from '../../../functions/topology/names.ts';

const UNITS_MS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

describe('delayName', () => {
  it.each([
    [1, '1ms'],
    [83, '83ms'],
    [1_000, '1s'],
    [1_500, '1500ms'],
    [10_000, '10s'],
    [33_000, '33s'],
    [60_000, '1m'],
    [90_000, '90s'],
    [300_000, '5m'],
    [1_800_000, '30m'],
    [3_600_000, '1h'],
    [5_400_000, '90m'],
    [86_400_000, '1d'],
    [129_600_000, '36h'],
    [2_419_200_000, '28d'],
  ])('%i ms is %s', (delayMs, name) => {
    expect(delayName(delayMs)).toBe(name);
  });

  it('tells the delay it was made from, so that two delays never share a name', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4_294_967_295 }), (delayMs) => {
        const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(delayName(delayMs)) ?? [];
        expect(Number(count) * (UNITS_MS[String(unit)] ?? 0)).toBe(delayMs);
      }),
    );
  });

  it.each([
    [0, '0'],
    [-1, '-1'],
    [1.5, '1.5'],
    [Number.NaN, 'null'],
    ['30000' as unknown as number, '"30000"'],
  ])('refuses %s', (delayMs, shown) => {
    expect(() => delayName(delayMs)).toThrow(
      new TopologyError(
        'BAD_DELAY',
        `A delay must be a whole number of milliseconds from 1 up, got ${shown}.`,
      ),
    );
  });
});

describe('names of a flow’s queues', () => {
  it('all start with the work queue', () => {
    expect([
      waitQueueName('orders', 10_000),
      isolatedQueueName('orders'),
      isolatedWaitQueueName('orders'),
      parkedQueueName('orders'),
      parkedLockName('orders'),
    ]).toEqual([
      'orders.wait.10s',
      'orders.isolated',
      'orders.isolated.wait',
      'orders.parked',
      'orders.parked.lock',
    ]);
  });

  it('case 6: two work queues with the same delay have different wait queues', () => {
    expect(waitQueueName('orders', 30_000)).not.toBe(waitQueueName('invoices', 30_000));
  });

  it('case 58: another delay is another queue', () => {
    expect(waitQueueName('orders', 30_000)).not.toBe(waitQueueName('orders', 45_000));
  });
});
