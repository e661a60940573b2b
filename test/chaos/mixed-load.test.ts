import { describe, expect, it } from 'vitest';
import { brokerUrl } from '../helpers/broker.ts';
import { runMixedLoad } from './harness/mixed-load.ts';
import { problemsOf, reportOf } from './harness/report.ts';

describe('a mixed load with every fault at once', () => {
  it('keeps every promise', { timeout: 400_000 }, async () => {
    const managementUrl = process.env.LAYOVER_TEST_MANAGEMENT_URL;
    const result = await runMixedLoad({
      brokerUrl: brokerUrl(),
      managementUrl,
      seed: 1,
      messages: 120,
    });

    if (problemsOf(result).length > 0) console.log(result.lines.slice(-100).join('\n'));
    expect(problemsOf(result)).toEqual([]);
    expect(reportOf(result, 'any')).toMatchObject({ lost: 0, overCap: 0, wronglyConvicted: 0 });
    expect(result.fired.length).toBeGreaterThan(8);
    expect(result.disasters.length).toBeGreaterThan(5);
  });
});
