import { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, it } from 'vitest';
import type { Invocation } from '../../../functions/consumer/invocation.ts';
import { Counters, METRICS } from '../../../functions/consumer/metrics.ts';
import { noClaims } from '../../../functions/consumer/no-claims.ts';
import type { Outcome } from '../../../functions/consumer/outcome.ts';
import { recordOf } from '../../../functions/consumer/record.ts';
import { reportOutcome } from '../../../functions/consumer/report-outcome.ts';
import { defineFlow } from '../../../functions/policy/define-flow.ts';
import type { OutcomeReport } from '../../../functions/replay/store/outcomes.ts';
import { aMessage } from '../../helpers/messages.ts';

const flow = defineFlow({ name: 'orders', owner: 'shop', runbook: 'docs', impact: 'none' });
const REPLAYED = { own: true, retryCount: 0, replay: { count: 1, run: 'run-1' } };

function anInvocation(
  recordOutcome: ((report: OutcomeReport) => Promise<void>) | undefined,
  leftMs = 10_000,
): Invocation<unknown> {
  const nowMs = Date.now();
  return {
    flow,
    handle: () => {},
    environment: 'test',
    session: { publish: async () => {}, wake: async () => {}, close: async () => {} },
    claims: noClaims,
    canProve: false,
    ...(recordOutcome === undefined ? {} : { recordOutcome }),
    logger: new Logger({ logLevel: 'SILENT' }),
    now: Date.now,
    random: () => 0,
    requestId: 'req-1',
    version: '1',
    handleByMs: nowMs + leftMs,
    settleByMs: nowMs + leftMs,
    counters: new Counters('test', 'orders'),
  };
}

const replayed = (messageId: string | undefined = 'm-1') =>
  recordOf(flow, aMessage({ state: REPLAYED, properties: { messageId } }));

async function reported(outcome: Outcome): Promise<readonly OutcomeReport[]> {
  const reports: OutcomeReport[] = [];
  const invocation = anInvocation(async (report) => {
    reports.push(report);
  });
  await reportOutcome(invocation, replayed(), outcome);
  return reports;
}

describe('the outcome of a replayed message', () => {
  it.each<[string, Outcome]>([
    ['processed', { kind: 'done' }],
    ['known as a duplicate', { kind: 'duplicate' }],
    ['acknowledged', { kind: 'acknowledge' }],
    ['discarded', { kind: 'discard' }],
  ])('is good: %s', async (_name, outcome) => {
    expect(await reported(outcome)).toEqual([{ runId: 'run-1', messageId: 'm-1', ok: true }]);
  });

  it.each<[string, Outcome]>([
    ['to be tried again', { kind: 'retry', queue: 'q', nextAt: new Date(), delayMs: 10_000 }],
    ['parked', { kind: 'park', queue: 'orders.parked' }],
  ])('is a failure: %s', async (_name, outcome) => {
    expect(await reported(outcome)).toEqual([{ runId: 'run-1', messageId: 'm-1', ok: false }]);
  });

  it.each<[string, Outcome]>([
    ['deferred', { kind: 'deferred', queue: 'q', why: 'time' }],
    ['sent into isolation', { kind: 'isolated', queue: 'q' }],
    ['not settled', { kind: 'unsettled', error: new Error('no broker') }],
  ])('is not known yet: %s', async (_name, outcome) => {
    expect(await reported(outcome)).toEqual([]);
  });
});

describe('nobody is told, and nothing is waited for', () => {
  it('when replay has not moved the message', () => {
    const invocation = anInvocation(() => Promise.reject(new Error('never called')));
    const record = recordOf(flow, aMessage({ properties: { messageId: 'm-1' } }));
    expect(reportOutcome(invocation, record, { kind: 'done' })).toBeUndefined();
  });

  it('where replay is not deployed', () => {
    const invocation = anInvocation(undefined);
    expect(reportOutcome(invocation, replayed(), { kind: 'done' })).toBeUndefined();
  });
});

describe('a table of replay in trouble', () => {
  it('is told again', async () => {
    let calls = 0;
    const invocation = anInvocation(async () => {
      calls += 1;
      if (calls === 1) throw new Error('throttled');
    });
    await reportOutcome(invocation, replayed(), { kind: 'done' });
    expect(calls).toBe(2);
    expect(invocation.counters.of(METRICS.outcomesLost)).toBe(0);
  });

  it('costs the outcome when it stays, counted, and not the message', async () => {
    const invocation = anInvocation(() => Promise.reject(new Error('unreachable')), 200);
    await expect(reportOutcome(invocation, replayed(), { kind: 'done' })).resolves.toBeUndefined();
    expect(invocation.counters.of(METRICS.outcomesLost)).toBe(1);
  });

  it('that never answers is waited for no longer than there is time to settle', async () => {
    const invocation = anInvocation(() => new Promise(() => {}), 100);
    const beganMs = Date.now();
    await reportOutcome(invocation, replayed(), { kind: 'park', queue: 'orders.parked' });
    expect(Date.now() - beganMs).toBeLessThan(2_000);
    expect(invocation.counters.of(METRICS.outcomesLost)).toBe(1);
  });
});
