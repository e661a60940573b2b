import { describe, expect, it } from 'vitest';
import { Counters, emf, METRICS } from '../../../functions/consumer/metrics.ts';

const AT = 1_796_000_000_000;
const parse = (lines: readonly string[]) => lines.map((line) => JSON.parse(line));

describe('counters of an invocation', () => {
  it('prints nothing when nothing was counted', () => {
    expect(new Counters('dev', 'orders').lines(AT)).toEqual([]);
  });

  it('prints totals under environment and flow alone', () => {
    const counters = new Counters('dev', 'orders');
    counters.count(METRICS.handled, 3);
    counters.count(METRICS.handled);
    const [line] = parse(counters.lines(AT));
    expect(line).toMatchObject({ environment: 'dev', flow: 'orders', Handled: 4 });
    expect(line._aws).toEqual({
      Timestamp: AT,
      CloudWatchMetrics: [
        {
          Namespace: 'Layover',
          Dimensions: [['environment', 'flow']],
          Metrics: [{ Name: 'Handled', Unit: 'Count' }],
        },
      ],
    });
  });

  it('counts by tier and by class beside the total', () => {
    const counters = new Counters('dev', 'orders');
    counters.countBy(METRICS.parked, 'class', 'invalid');
    counters.countBy(METRICS.parked, 'class', 'invalid');
    counters.countBy(METRICS.parked, 'class', 'bug');
    const lines = parse(counters.lines(AT));
    expect(lines.find((line) => line.class === undefined)).toMatchObject({ Parked: 3 });
    expect(lines.find((line) => line.class === 'invalid')).toMatchObject({ Parked: 2 });
    expect(lines.find((line) => line.class === 'bug')).toMatchObject({ Parked: 1 });
  });

  it('keeps the distribution of attempts, a hundred values a line at most', () => {
    const counters = new Counters('dev', 'orders');
    for (let n = 0; n < 250; n++) counters.attempt(1 + (n % 3));
    const lines = parse(counters.lines(AT));
    expect(lines.map((line) => line.Attempts.length)).toEqual([100, 100, 50]);
    expect(lines.flatMap((line) => line.Attempts).filter((n) => n === 1)).toHaveLength(84);
  });

  it('sets a gauge once however often it is set', () => {
    const counters = new Counters('dev', 'orders');
    counters.set(METRICS.brokerBlocked, 1);
    counters.set(METRICS.brokerBlocked, 1);
    expect(parse(counters.lines(AT))[0]).toMatchObject({ BrokerBlocked: 1 });
    expect(counters.of(METRICS.brokerBlocked)).toBe(1);
  });

  it('names every metric it prints in the envelope', () => {
    const line = JSON.parse(emf(AT, { environment: 'dev' }, { A: 1, B: 2 }));
    expect(line._aws.CloudWatchMetrics[0].Metrics.map((m: { Name: string }) => m.Name)).toEqual([
      'A',
      'B',
    ]);
  });
});
