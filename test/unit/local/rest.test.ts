import { describe, expect, it } from 'vitest';
import { type Books, reckon } from '../../../infra/local/books/reckon.ts';
import { booksAtRest } from '../../../infra/local/books/rest.ts';

const NOTHING = {
  messageIdByWorkId: new Map<string, string>(),
  ledger: [],
  discarded: [],
  duplicates: [],
  replayed: new Set<string>(),
  failedInvocations: 0,
};

/** Books over `published` messages of which `found` are parked. */
function books(published: number, found: number, inFlight = 0): Books {
  const ids = Array.from({ length: published }, (_, index) => `m-${index}`);
  const parked = ids.slice(0, found).map((messageId) => ({ messageId, class: 'bug', attempt: 1 }));
  return reckon({ ...NOTHING, published: ids, parked, inFlight });
}

/** Answers one after the other; the last one for ever. */
function inTurn<T>(...answers: readonly [T, ...T[]]): () => T {
  let next = 0;
  return () => {
    const answer = answers[Math.min(next, answers.length - 1)] as T;
    next++;
    return answer;
  };
}

const never = new AbortController().signal;

describe('booksAtRest', () => {
  it('gives the books when all is quiet and they balance', async () => {
    const result = await booksAtRest({
      ready: async () => 0,
      totals: async () => undefined,
      busy: () => false,
      reckon: async () => books(3, 3),
      onHidden: () => {},
      signal: never,
    });
    expect(result.balanced).toBe(true);
  });

  it('waits while a queue has messages or a function runs', async () => {
    const ready = inTurn(5, 2, 0, 0, 0);
    const busy = inTurn(false, false, true, true, false);
    let quietWhenReckoned = false;
    let looks = 0;
    await booksAtRest({
      ready: async () => {
        looks++;
        return ready();
      },
      totals: async () => undefined,
      busy,
      reckon: async () => {
        quietWhenReckoned = looks > 5;
        return books(1, 1);
      },
      onHidden: () => {},
      signal: never,
    });
    expect(quietWhenReckoned).toBe(true);
  });

  it('goes on waiting while the management API still counts messages, though AMQP sees none', async () => {
    const totals = inTurn(new Map([['orders', 2]]), new Map([['orders', 0]]));
    const seen: number[] = [];
    const result = await booksAtRest({
      ready: async () => 0,
      totals: async () => totals(),
      busy: () => false,
      reckon: async (inFlight) => {
        const waiting = inFlight.get('orders') ?? 0;
        seen.push(waiting);
        return books(5, 5 - waiting, waiting);
      },
      onHidden: () => {},
      signal: never,
    });
    expect(seen).toEqual([2, 0]);
    expect(result).toMatchObject({ lost: 0, inFlight: 0, balanced: true });
  });

  it('says once that messages are missing where nobody can count them, and goes on', async () => {
    const found = inTurn(1, 1, 2);
    const hidden: number[] = [];
    const result = await booksAtRest({
      ready: async () => 0,
      totals: async () => undefined,
      busy: () => false,
      reckon: async () => books(2, found()),
      onHidden: (missing) => hidden.push(missing),
      signal: never,
    });
    expect(hidden).toEqual([1]);
    expect(result.balanced).toBe(true);
  });

  it('waits for rest once more when replay has put something back meanwhile', async () => {
    const events: string[] = [];
    const moved = inTurn(true, false);
    await booksAtRest({
      ready: async () => 0,
      totals: async () => undefined,
      busy: () => {
        if (events.at(-1) !== 'quiet') events.push('quiet');
        return false;
      },
      replayed: async () => {
        events.push('replay');
        return moved();
      },
      reckon: async () => {
        events.push('books');
        return books(1, 1);
      },
      onHidden: () => {},
      signal: never,
    });
    expect(events).toEqual(['quiet', 'replay', 'quiet', 'replay', 'books']);
  });

  it('ends with the reason of the interruption', async () => {
    const interrupt = new AbortController();
    const waiting = booksAtRest({
      ready: async () => {
        interrupt.abort(new Error('interrupted'));
        return 1;
      },
      totals: async () => undefined,
      busy: () => false,
      reckon: async () => books(0, 0),
      onHidden: () => {},
      signal: interrupt.signal,
    });
    await expect(waiting).rejects.toThrow('interrupted');
  });
});
