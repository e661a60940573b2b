import { describe, expect, it } from 'vitest';
import { isSuspect } from '../../../functions/consumer/suspicion.ts';
import { type TriageInput, triage } from '../../../functions/consumer/triage.ts';
import { aMessage, type MessageParts } from '../../helpers/messages.ts';

const NOW = new Date('2026-11-30T12:00:00Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const schedule = {
  delaysMs: [10_000, 60_000],
  maxAttempts: 3,
  maxElapsedMs: 3_600_000,
  maxRetryAfterMs: 60_000,
  jitter: { lanes: 1, spread: 0.1 },
};

function triaged(message: MessageParts, input: Partial<TriageInput> = {}) {
  return triage({
    message: aMessage(message),
    decodeProblem: undefined,
    flow: { schedule },
    isolated: false,
    canProve: true,
    now: NOW,
    ...input,
  });
}

describe('suspicion', () => {
  it.each<[string, MessageParts, boolean]>([
    ['a first delivery', {}, false],
    ['a count of zero, even when redelivered', { deliveryCount: 0, redelivered: true }, false],
    ['case 54: one earlier delivery', { deliveryCount: 1 }, true],
    ['an acquisition without a delivery count (nack on 4.3)', { acquiredCount: 1 }, true],
    ['the higher of both counts', { deliveryCount: 0, acquiredCount: 2 }, true],
    ['redelivered where the broker keeps no count (classic queue)', { redelivered: true }, true],
    ['the mark of an earlier isolation', { state: { suspect: true } }, true],
  ])('reads %s', (_name, message, expected) => {
    expect(isSuspect(aMessage(message))).toBe(expected);
  });
});

describe('triage', () => {
  it('runs a message that nothing is known against', () => {
    expect(triaged({})).toEqual({ kind: 'run' });
  });

  it('fails a record that could not be decoded as contract, without running it', () => {
    const result = triaged({}, { decodeProblem: 'data is no base64' });
    expect(result).toMatchObject({ kind: 'fail', failure: { class: 'contract' } });
  });

  it('isolates a suspect read from the work queue, before any other question', () => {
    const state = { suspect: true, firstAt: ago(10 * 3_600_000) };
    expect(triaged({ state })).toEqual({ kind: 'isolate' });
  });

  it('runs a suspect where it is alone', () => {
    const isolated = { queue: 'orders.isolated', deliveryCount: 7, state: { suspect: true } };
    expect(triaged(isolated, { isolated: true })).toEqual({ kind: 'run' });
  });

  it('case 54: convicts by count from 5 up only where no table can be asked', () => {
    const input = { isolated: true, canProve: false };
    expect(triaged({ deliveryCount: 4 }, input)).toEqual({ kind: 'run' });
    expect(triaged({ deliveryCount: 5 }, input)).toMatchObject({ failure: { class: 'poison' } });
    expect(triaged({ acquiredCount: 5 }, input)).toMatchObject({ failure: { class: 'poison' } });
    expect(triaged({ deliveryCount: 99 }, { ...input, canProve: true })).toEqual({ kind: 'run' });
  });

  it('lets a due retry run however late it is: the verdict on its next failure ends it', () => {
    expect(triaged({ state: { firstAt: ago(3_600_001) } })).toEqual({ kind: 'run' });
  });

  it('case 48: a message whose sender deadline passed is stale and not run', () => {
    const state = { origin: { deadline: ago(1) } };
    expect(triaged({ state })).toMatchObject({ kind: 'fail', failure: { class: 'stale' } });
    expect(triaged({ state: { origin: { deadline: ago(-1) } } })).toEqual({ kind: 'run' });
  });

  it('sends a message on to its next lap while its time has not come', () => {
    const until = ago(-300_000);
    expect(triaged({ state: { notBefore: until } })).toEqual({ kind: 'lap', until });
    expect(triaged({ state: { notBefore: ago(1) } })).toEqual({ kind: 'run' });
  });
});
