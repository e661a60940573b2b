import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Evidence, reckon } from '../../../infra/local/books/reckon.ts';
import { sumBooks } from '../../../infra/local/books/sum.ts';
import type { LedgerEntry } from '../../../infra/local/downstream/ledger.ts';

const NOTHING: Evidence = {
  published: [],
  messageIdByWorkId: new Map(),
  ledger: [],
  parked: [],
  discarded: [],
  duplicates: [],
  replayed: new Set<string>(),
  inFlight: 0,
  failedInvocations: 0,
};

function call(workId: string, outcome: LedgerEntry['outcome'], attempt = 1): LedgerEntry {
  const status = outcome === 'refused' ? 503 : 201;
  return { at: new Date(0), workId, key: workId, attempt, status, outcome };
}

const parked = (messageId: string, failureClass = 'invalid', attempt = 1) => ({
  messageId,
  class: failureClass,
  attempt,
});

const books = (evidence: Partial<Evidence>) => reckon({ ...NOTHING, ...evidence });

describe('reckon', () => {
  it('balances when every message is found once', () => {
    const result = books({
      published: ['a', 'b', 'c', 'd'],
      ledger: [call('a', 'applied')],
      parked: [parked('b')],
      discarded: ['c'],
      duplicates: ['d'],
    });
    expect(result).toMatchObject({
      published: 4,
      processed: 1,
      parked: 1,
      discarded: 1,
      duplicatesIgnored: 1,
      inFlight: 0,
      lost: 0,
      balanced: true,
    });
  });

  it('finds a message nobody can account for, and names it', () => {
    const result = books({ published: ['a', 'b'], ledger: [call('a', 'applied')] });
    expect(result).toMatchObject({ lost: 1, lostIds: ['b'], balanced: false });
  });

  it('does not let one message too many stand in for one too few', () => {
    const result = books({
      published: ['a', 'b'],
      ledger: [call('a', 'applied'), call('a', 'repeated')],
    });
    expect(result).toMatchObject({ processed: 1, lost: 1, lostIds: ['b'], balanced: false });
  });

  it('counts a refused call as no effect', () => {
    const result = books({ published: ['a'], ledger: [call('a', 'refused')] });
    expect(result).toMatchObject({ processed: 0, lost: 1 });
  });

  it('reads the downstream’s own names for the work', () => {
    const result = books({
      published: ['order-1'],
      messageIdByWorkId: new Map([['o-1', 'order-1']]),
      ledger: [call('o-1', 'applied')],
    });
    expect(result).toMatchObject({ processed: 1, balanced: true });
  });

  it('counts a message sent twice as processed twice where nothing remembers the first', () => {
    const result = books({
      published: ['a', 'a'],
      ledger: [call('a', 'applied'), call('a', 'repeated')],
    });
    expect(result).toMatchObject({ processed: 2, duplicatesIgnored: 0, balanced: true });
  });

  it('counts the second as an ignored duplicate where something does', () => {
    const result = books({
      published: ['a', 'a'],
      ledger: [call('a', 'applied')],
      duplicates: ['a'],
    });
    expect(result).toMatchObject({ processed: 1, duplicatesIgnored: 1, balanced: true });
  });

  it('loses one of two copies visibly', () => {
    const result = books({ published: ['a', 'a'], ledger: [call('a', 'applied')] });
    expect(result).toMatchObject({ processed: 1, lost: 1, balanced: false });
  });

  it('gives what a crash made happen again no second place', () => {
    const result = books({
      published: ['a'],
      ledger: [call('a', 'applied'), call('a', 'repeated')],
      duplicates: ['a'],
    });
    expect(result).toMatchObject({
      processed: 1,
      duplicatesIgnored: 0,
      repeated: 1,
      balanced: true,
    });
  });

  it('counts a message that rests in parking there, though it had its effect before it crashed', () => {
    const result = books({
      published: ['a'],
      ledger: [call('a', 'applied')],
      parked: [parked('a', 'poison')],
    });
    expect(result).toMatchObject({ processed: 0, parked: 1, byClass: { poison: 1 }, lost: 0 });
  });

  it('does not balance when a message is parked more often than it was published', () => {
    const result = books({ published: ['a'], parked: [parked('a'), parked('a')] });
    expect(result).toMatchObject({ parked: 1, surplusIds: ['a'], balanced: false });
  });

  it('balances with such a copy when an invocation failed, and counts the message once', () => {
    const result = books({
      published: ['a'],
      parked: [parked('a', 'invalid'), parked('a', 'poison')],
      failedInvocations: 1,
    });
    expect(result).toMatchObject({ parked: 1, byClass: { poison: 1 }, surplusIds: ['a'], lost: 0 });
    expect(result.balanced).toBe(true);
  });

  it('never balances with a message in parking that nobody published', () => {
    const result = books({ parked: [parked('x')], failedInvocations: 9 });
    expect(result).toMatchObject({ parked: 0, surplusIds: ['x'], balanced: false });
  });

  it('does not call lost what still waits at the broker, nor the books balanced', () => {
    const result = books({ published: ['a', 'b'], ledger: [call('a', 'applied')], inFlight: 1 });
    expect(result).toMatchObject({ lost: 0, inFlight: 1, balanced: false });
  });

  it('does not balance with a message in flight, even when all are accounted for', () => {
    const result = books({ published: ['a'], ledger: [call('a', 'applied')], inFlight: 1 });
    expect(result.balanced).toBe(false);
  });

  it('counts parked messages by class, the most frequent first', () => {
    const result = books({
      published: ['a', 'b', 'c'],
      parked: [parked('a', 'bug'), parked('b', 'invalid'), parked('c', 'invalid')],
    });
    expect(Object.entries(result.byClass)).toEqual([
      ['invalid', 2],
      ['bug', 1],
    ]);
  });

  it('counts the attempt that ended each message, repeats after a crash left out', () => {
    const result = books({
      published: ['a', 'b', 'c', 'd'],
      ledger: [
        call('a', 'applied', 1),
        call('b', 'refused', 1),
        call('b', 'applied', 2),
        call('b', 'repeated', 2),
      ],
      parked: [parked('c', 'transient', 5), parked('d', 'poison', 0)],
    });
    expect(result.attempts).toEqual({ 1: 1, 2: 1, 5: 1 });
  });

  it('accounts for every publish exactly once, whatever was seen', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd');
    const ids = fc.array(id, { maxLength: 8 });
    fc.assert(
      fc.property(
        ids,
        ids,
        ids,
        ids,
        ids,
        (published, effects, parkedIds, discarded, duplicates) => {
          const result = books({
            published,
            ledger: effects.map((workId) => call(workId, 'applied')),
            parked: parkedIds.map((messageId) => parked(messageId)),
            discarded,
            duplicates,
          });
          const { processed, parked: rests, discarded: gone, duplicatesIgnored, lost } = result;
          if (result.surplusIds.length === 0) {
            expect(processed + rests + gone + duplicatesIgnored + lost).toBe(published.length);
          }
          expect(result.balanced).toBe(lost === 0 && result.surplusIds.length === 0);
        },
      ),
    );
  });
});

describe('sumBooks', () => {
  it('adds figures, classes and attempts', () => {
    const one = books({ published: ['a'], parked: [parked('a', 'bug', 1)] });
    const two = books({ published: ['b', 'c'], parked: [parked('b', 'bug', 2)], discarded: ['c'] });
    expect(sumBooks([one, two])).toMatchObject({
      published: 3,
      parked: 2,
      discarded: 1,
      byClass: { bug: 2 },
      attempts: { 1: 1, 2: 1 },
      balanced: true,
    });
  });

  it('balances only when each does', () => {
    const good = books({});
    const bad = books({ published: ['a'] });
    expect(sumBooks([good, bad])).toMatchObject({ balanced: false, lost: 1, lostIds: ['a'] });
  });

  it('of nothing is nothing, and balanced', () => {
    expect(sumBooks([])).toMatchObject({ published: 0, balanced: true });
  });
});

describe('replayed messages', () => {
  it('are counted where they ended, and once more by themselves', () => {
    const result = books({
      published: ['a', 'b', 'c'],
      ledger: [call('a', 'applied'), call('c', 'applied')],
      parked: [parked('b', 'transient')],
      replayed: new Set(['a', 'b']),
    });
    expect(result).toMatchObject({ processed: 2, parked: 1, replayed: 2, lost: 0, balanced: true });
  });

  it('that went nowhere are lost, however often they were moved', () => {
    const result = books({ published: ['a'], replayed: new Set(['a']) });
    expect(result).toMatchObject({ replayed: 1, lost: 1, lostIds: ['a'], balanced: false });
  });

  it('are summed over flows', () => {
    const one = books({
      published: ['a'],
      ledger: [call('a', 'applied')],
      replayed: new Set(['a']),
    });
    expect(sumBooks([one, one]).replayed).toBe(2);
  });
});
