import { Logger } from '@aws-lambda-powertools/logger';
import { describe, expect, it } from 'vitest';
import type { ClaimAnswer, ClaimRequest, Claims } from '../../../functions/consumer/claims.ts';
import type { Invocation } from '../../../functions/consumer/invocation.ts';
import { judge } from '../../../functions/consumer/judge.ts';
import { Counters } from '../../../functions/consumer/metrics.ts';
import { recordOf } from '../../../functions/consumer/record.ts';
import { defineFlow } from '../../../functions/policy/define-flow.ts';
import { aMessage, type MessageParts } from '../../helpers/messages.ts';

const flow = defineFlow({ name: 'orders', owner: 'shop', runbook: 'docs', impact: 'none' });
const isolated = (state: MessageParts['state'] = {}): MessageParts => ({
  queue: 'orders.isolated',
  state: { own: true, suspect: true, ...state },
});

/** A table in memory that answers as told. */
class TableDouble implements Claims {
  held: Extract<ClaimAnswer, { kind: 'held' }> | undefined;
  completed = false;
  /** True: what is asked takes effect, and no answer ever comes. */
  mute = false;

  async take(request: ClaimRequest): Promise<ClaimAnswer> {
    const { id, owner, place, leaseUntilMs } = request;
    const earlier = await this.look();
    if (earlier === undefined) this.held = { kind: 'held', place, owner, leaseUntilMs };
    if (this.mute) return new Promise(() => {});
    return earlier ?? { kind: 'claimed', claim: { id, owner } };
  }
  async look() {
    return this.completed ? ({ kind: 'completed' } as const) : this.held;
  }
  async complete() {
    this.completed = true;
    return true;
  }
  async release({ owner }: { owner: string }) {
    if (this.held?.owner !== owner) return false;
    this.held = undefined;
    return true;
  }
}

async function judged(table: TableDouble, parts: MessageParts) {
  let runs = 0;
  const startMs = Date.now();
  const invocation: Invocation<unknown> = {
    flow,
    handle: () => {
      runs += 1;
    },
    environment: 'test',
    session: { publish: async () => {}, wake: async () => {}, close: async () => {} },
    claims: table,
    canProve: true,
    logger: new Logger({ logLevel: 'SILENT' }),
    now: Date.now,
    random: () => 0,
    requestId: 'req-1',
    version: '1',
    handleByMs: startMs + 150,
    settleByMs: startMs + 200,
    counters: new Counters('test', 'orders'),
  };
  const judgement = await judge(invocation, recordOf(flow, aMessage(parts))).catch(
    (error: unknown) => ({ kind: 'threw' as const, error }),
  );
  return { judgement, runs, tookMs: Date.now() - startMs };
}

const heldBy = (owner: string, place: 'work' | 'isolated', leaseInMs: number) =>
  ({ kind: 'held', place, owner, leaseUntilMs: Date.now() + leaseInMs }) as const;

describe('a claim whose taking got no answer', () => {
  it('is noted on an isolated message, since it may stand and would look like a dead run', async () => {
    const table = new TableDouble();
    table.mute = true;
    const { judgement, runs } = await judged(table, isolated());

    expect(judgement).toMatchObject({
      kind: 'deferred',
      why: 'table',
      endedRun: { owner: table.held?.owner, done: false },
    });
    expect(runs).toBe(0);
  });

  it('leaves time to publish that note', async () => {
    const table = new TableDouble();
    table.mute = true;
    expect((await judged(table, isolated())).tookMs).toBeLessThan(190);
  });

  it('fails the invocation at work, where a claim left behind is only waited out', async () => {
    const table = new TableDouble();
    table.mute = true;
    const { judgement } = await judged(table, {});
    expect(judgement).toMatchObject({ kind: 'threw', error: { code: 'OUT_OF_TIME' } });
  });

  it('does not convict the message when it comes back with the note', async () => {
    const table = new TableDouble();
    table.held = heldBy('req-0/run', 'isolated', -1);
    const endedRun = { owner: 'req-0/run', done: false };
    const { judgement, runs } = await judged(table, isolated({ endedRun }));
    expect(judgement).toMatchObject({ kind: 'done' });
    expect(runs).toBe(1);
  });
});

describe('word of an ended run', () => {
  const endedRun = { owner: 'req-0/run', done: true };

  it('completes the claim of a run that was done, without another run', async () => {
    const table = new TableDouble();
    table.held = heldBy('req-0/run', 'isolated', -1);
    const { judgement, runs } = await judged(table, isolated({ endedRun }));
    expect(judgement).toMatchObject({ kind: 'done', claim: { owner: 'req-0/run' } });
    expect(runs).toBe(0);
  });

  it('goes before the sender’s deadline: what was done is not stale', async () => {
    const table = new TableDouble();
    table.held = heldBy('req-0/run', 'isolated', -1);
    const origin = { queue: 'orders', deadline: new Date(0) };
    const { judgement } = await judged(table, isolated({ endedRun, origin }));
    expect(judgement).toMatchObject({ kind: 'done' });
  });

  it('is a duplicate when the table knows already', async () => {
    const table = new TableDouble();
    table.completed = true;
    const { judgement, runs } = await judged(table, isolated({ endedRun }));
    expect(judgement).toEqual({ kind: 'duplicate' });
    expect(runs).toBe(0);
  });

  it('of another owner proves nothing: a dead isolated run still convicts', async () => {
    const table = new TableDouble();
    table.held = heldBy('somebody/else', 'isolated', -1);
    const { judgement } = await judged(table, isolated({ endedRun }));
    expect(judgement).toMatchObject({ kind: 'failed', failure: { class: 'poison' } });
  });

  it('is believed only where the table agrees that this run stands there', async () => {
    const { judgement, runs } = await judged(new TableDouble(), isolated({ endedRun }));
    expect(judgement).toMatchObject({ kind: 'done' });
    expect(runs).toBe(1);
  });
});

describe('a claim of somebody else', () => {
  it('at work sends the message into isolation', async () => {
    const table = new TableDouble();
    table.held = heldBy('other', 'work', 1_000);
    expect((await judged(table, {})).judgement).toEqual({ kind: 'isolate' });
  });

  it('in isolation is waited out', async () => {
    const table = new TableDouble();
    table.held = heldBy('other', 'isolated', 1_000);
    const { judgement } = await judged(table, isolated());
    expect(judgement).toMatchObject({ kind: 'deferred', why: 'claim' });
  });

  it('taken in isolation and never ended convicts after its lease, and not before', async () => {
    const table = new TableDouble();
    table.held = heldBy('other', 'isolated', -1);
    const { judgement, runs } = await judged(table, isolated());
    expect(judgement).toMatchObject({
      kind: 'failed',
      failure: { class: 'poison', rule: 'layover.isolated-run-never-ended' },
      verdict: { kind: 'park' },
      evidence: { owner: 'other' },
    });
    expect(runs).toBe(0);
  });
});
