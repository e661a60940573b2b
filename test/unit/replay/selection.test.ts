import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplayError } from '../../../functions/replay/errors.ts';
import { matchesFilter, parseFilter } from '../../../functions/replay/filter.ts';
import { Bag, digestOf, inItems } from '../../../functions/replay/selection.ts';
import { ageName, Summariser } from '../../../functions/replay/summary.ts';
import { NOW, someFacts } from './facts.ts';

describe('a filter', () => {
  it('that says nothing means every message', () => {
    expect(matchesFilter(someFacts(), {})).toBe(true);
    expect(matchesFilter(someFacts({ parkedAt: undefined }), parseFilter(undefined))).toBe(true);
  });

  it.each([
    ['class', { classes: ['transient'] }, { classes: ['invalid'] }],
    ['signature', { signatures: ['s-0', 's-1'] }, { signatures: ['s-2'] }],
    ['message id', { messageIds: ['m-1'] }, { messageIds: ['m-2'] }],
    ['label', { labels: { tenant: 'a' } }, { labels: { tenant: 'b' } }],
    ['two labels', { labels: { tenant: 'a' } }, { labels: { tenant: 'a', region: 'eu' } }],
    ['latest time', { parkedBefore: NOW }, { parkedBefore: new Date(NOW.getTime() - 3_600_000) }],
    [
      'earliest time',
      { parkedAfter: new Date(NOW.getTime() - 3_600_000) },
      { parkedAfter: new Date(NOW.getTime() - 3_599_999) },
    ],
  ])('by %s takes what fits and leaves what does not', (_name, fits, doesNot) => {
    const facts = someFacts({ labels: { tenant: 'a' } });

    expect(matchesFilter(facts, fits)).toBe(true);
    expect(matchesFilter(facts, doesNot)).toBe(false);
  });

  it('by time leaves a message whose time nobody knows', () => {
    const facts = someFacts({ parkedAt: undefined });

    expect(matchesFilter(facts, { parkedBefore: NOW })).toBe(false);
    expect(matchesFilter(facts, { parkedAfter: new Date(0) })).toBe(false);
  });

  it('is read from JSON', () => {
    expect(
      parseFilter({ classes: ['transient'], parkedBefore: '2026-06-01T12:00:00Z', limit: 5 }),
    ).toEqual({ classes: ['transient'], parkedBefore: NOW, limit: 5 });
  });

  it.each([
    [{ class: ['transient'] }, 'filter.class must be one of classes'],
    [{ classes: [] }, 'filter.classes must be a list of at least one text, got [].'],
    [{ classes: 'transient' }, 'filter.classes must be'],
    [{ classes: ['transient', 'foo'] }, 'filter.classes must be of transient, '],
    [{ messageIds: [1] }, 'filter.messageIds must be'],
    [{ labels: { tenant: 1 } }, 'filter.labels must be an object of texts'],
    [{ labels: ['a'] }, 'filter.labels must be'],
    [{ parkedBefore: 'soon' }, 'filter.parkedBefore must be a time'],
    [{ limit: 0 }, 'filter.limit must be a whole number from 1 up, got 0.'],
    [{ limit: 1.5 }, 'filter.limit must be'],
    [[], 'filter must be an object'],
    ['all', 'filter must be an object'],
  ])('refuses %j', (input, message) => {
    expect(() => parseFilter(input)).toThrow(ReplayError);
    expect(() => parseFilter(input)).toThrow(message);
  });
});

describe('the digest of a selection', () => {
  it('is the same for the same messages in the same order, and for nothing else', () => {
    expect(digestOf(['a', 'b'])).toBe(digestOf(['a', 'b']));
    expect(digestOf(['a', 'b'])).not.toBe(digestOf(['b', 'a']));
    expect(digestOf(['a', 'b'])).not.toBe(digestOf(['a', 'b', 'b']));
    expect(digestOf(['ab'])).not.toBe(digestOf(['a', 'b']));
  });
});

describe('a bag', () => {
  it('gives each entry once, identical twins as well', () => {
    const remaining = new Bag(['a', 'b', 'a']);

    expect(['a', 'a', 'a', 'c'].map((id) => remaining.take(id))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(remaining.size).toBe(1);
    expect(remaining.list()).toEqual(['b']);
    expect(remaining.has('b')).toBe(true);
    expect(remaining.has('a')).toBe(false);
  });

  it('never gives more than was put in', () => {
    const ids = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
    fc.assert(
      fc.property(ids, ids, (planned, seen) => {
        const remaining = new Bag(planned);
        const taken = seen.filter((id) => remaining.take(id));
        for (const id of ['a', 'b', 'c', 'd']) {
          const of = (list: readonly string[]) => list.filter((entry) => entry === id).length;
          expect(of(taken)).toBe(Math.min(of(planned), of(seen)));
          expect(of(remaining.list())).toBe(of(planned) - of(taken));
        }
        expect(remaining.size).toBe(planned.length - taken.length);
      }),
    );
  });

  it('is stored in items of at most 1,000 ids', () => {
    const items = inItems(Array.from({ length: 2_001 }, (_, n) => n));

    expect(items.map((item) => item.length)).toEqual([1_000, 1_000, 1]);
    expect(inItems([])).toEqual([]);
  });
});

describe('the summary', () => {
  it('groups by class and signature, largest first, with first, last and a sample', () => {
    const summariser = new Summariser(NOW.getTime());
    const early = new Date(NOW.getTime() - 7_200_000);
    summariser.add(someFacts({ class: 'invalid', signature: 's-9', messageId: 'm-9' }), false, {
      holds: false,
      guard: 'class',
      because: '',
    });
    summariser.add(someFacts({ messageId: 'm-1' }), true, { holds: true });
    summariser.add(someFacts({ messageId: 'm-2', parkedAt: early, replayCount: 1 }), false, {
      holds: false,
      guard: 'lifetime-cap',
      because: '',
    });

    const { groups, byClass, byAge } = summariser.summary();

    expect(groups[0]).toMatchObject({
      class: 'transient',
      count: 2,
      selected: 1,
      failedAgain: 1,
      automatic: 1,
      skipped: { 'lifetime-cap': 1 },
      firstAt: early.toISOString(),
      lastAt: '2026-06-01T11:00:00.000Z',
      sample: { messageId: 'm-1' },
    });
    expect(groups[1]).toMatchObject({ class: 'invalid', count: 1, skipped: { class: 1 } });
    expect(byClass).toEqual({ transient: 2, invalid: 1 });
    expect(byAge).toEqual({ '<6h': 3 });
  });

  it('says how many groups it does not list', () => {
    const summariser = new Summariser(NOW.getTime());
    for (let n = 0; n < 60; n++) {
      summariser.add(someFacts({ signature: `s-${n}` }), true, { holds: true });
    }

    expect(summariser.summary().groups).toHaveLength(50);
    expect(summariser.summary().moreGroups).toEqual({ groups: 10, messages: 10 });
  });

  it.each([
    [0, '<15m'],
    [899_999, '<15m'],
    [900_000, '<1h'],
    [3_600_000, '<6h'],
    [21_600_000, '<1d'],
    [86_400_000, '<3d'],
    [259_200_000, 'older'],
    [-1, '<15m'],
  ])('puts an age of %d ms into %s', (ageMs, band) => {
    expect(ageName(new Date(NOW.getTime() - ageMs), NOW.getTime())).toBe(band);
  });

  it('keeps messages of unknown age apart', () => {
    expect(ageName(undefined, NOW.getTime())).toBe('unknown');
  });
});
