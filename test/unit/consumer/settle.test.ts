import { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, it } from 'vitest';
import type { Invocation } from '../../../functions/consumer/invocation.ts';
import type { Judgement } from '../../../functions/consumer/judge.ts';
import { Counters } from '../../../functions/consumer/metrics.ts';
import { noClaims } from '../../../functions/consumer/no-claims.ts';
import { recordOf } from '../../../functions/consumer/record.ts';
import { settle } from '../../../functions/consumer/settle.ts';
import type { OutgoingCopy } from '../../../functions/message/types.ts';
import { defineFlow } from '../../../functions/policy/define-flow.ts';
import { aMessage, type MessageParts } from '../../helpers/messages.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const inMs = (ms: number) => new Date(NOW + ms);
const flow = defineFlow({
  name: 'orders',
  owner: 'shop',
  runbook: 'docs',
  impact: 'none',
  schedule: { delays: ['10s', '1m'] },
});

/** Settles one judgement and gives its outcome with every copy that left through the port. */
async function settled(judgement: Judgement, parts: MessageParts = {}) {
  const copies: OutgoingCopy[] = [];
  const invocation: Invocation<unknown> = {
    flow,
    handle: () => {},
    environment: 'test',
    session: {
      publish: async (copy) => {
        copies.push(copy);
      },
      wake: async () => {},
      close: async () => {},
    },
    claims: noClaims,
    canProve: false,
    logger: new Logger({ logLevel: 'SILENT' }),
    now: () => NOW,
    random: () => 0,
    requestId: 'req-1',
    version: '1',
    handleByMs: NOW + 20_000,
    settleByMs: NOW + 24_000,
    counters: new Counters('test', 'orders'),
  };
  const outcome = await settle(invocation, recordOf(flow, aMessage(parts)), judgement);
  return { outcome, copies };
}

describe('a deferral', () => {
  it('leaves a copy in the first tier before the original may be given up', async () => {
    const { outcome, copies } = await settled({ kind: 'deferred', why: 'time' });
    expect(outcome).toEqual({ kind: 'deferred', queue: 'orders.wait.10s', why: 'time' });
    expect(copies.map(({ queue }) => queue)).toEqual(['orders.wait.10s']);
  });

  it('burns no attempt and keeps what the last failure said', async () => {
    const failure = {
      class: 'transient',
      rule: 'http-503',
      signature: 's',
      name: 'E',
      message: 'm',
    };
    const state = { own: true, retryCount: 2, failure };
    const { copies } = await settled({ kind: 'deferred', why: 'time' }, { state });
    expect(copies[0]?.headers).toMatchObject({
      'x-retry-count': { '!': 'int', value: 2 },
      'x-failure-class': 'transient',
    });
  });

  it('takes the smallest tier that reaches its time, and carries the time', async () => {
    const until = inMs(30_000);
    const { copies } = await settled({ kind: 'deferred', why: 'lap', until });
    expect(copies[0]?.queue).toBe('orders.wait.1m');
    expect(copies[0]?.headers['x-retry-not-before']).toBe(until.toISOString());
  });

  it('stays in isolation when the message is there', async () => {
    const until = inMs(30_000);
    const { copies } = await settled(
      { kind: 'deferred', why: 'claim', until },
      { queue: 'orders.isolated', state: { own: true, suspect: true } },
    );
    expect(copies[0]?.queue).toBe('orders.isolated.wait');
    expect(copies[0]?.headers).toMatchObject({
      'x-failure-suspect': true,
      'x-retry-not-before': until.toISOString(),
    });
  });
});

describe('every way to give up an original but done, duplicate and discard', () => {
  it.each<[string, Judgement]>([
    ['isolation', { kind: 'isolate' }],
    ['a deferral', { kind: 'deferred', why: 'table' }],
    ['a retry', failedWith({ kind: 'retry', delayMs: 10_000 })],
    ['parking', failedWith({ kind: 'park', why: 'policy' })],
  ])('publishes exactly one copy: %s', async (_name, judgement) => {
    const { outcome, copies } = await settled(judgement);
    expect(copies).toHaveLength(1);
    expect(copies[0]).toMatchObject({ queue: (outcome as { queue: string }).queue });
  });

  it.each<[string, Judgement]>([
    ['done', { kind: 'done' }],
    ['a duplicate', { kind: 'duplicate' }],
    ['a discard', failedWith({ kind: 'discard' })],
  ])('publishes nothing: %s', async (_name, judgement) => {
    expect((await settled(judgement)).copies).toEqual([]);
  });
});

function failedWith(verdict: Extract<Judgement, { kind: 'failed' }>['verdict']): Judgement {
  const failure = {
    class: 'transient',
    rule: 'http-503',
    signature: 's',
    name: 'E',
    message: 'm',
  } as const;
  return { kind: 'failed', failure, verdict };
}
