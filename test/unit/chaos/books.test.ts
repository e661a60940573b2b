import { afterEach, describe, expect, it } from 'vitest';
import { type Evidence, keepBooks, lostCount } from '../../chaos/harness/books.ts';
import { Control, NO_PLAN } from '../../chaos/harness/control.ts';
import type { Invoked } from '../../chaos/harness/mapping.ts';

let control: Control | undefined;
afterEach(() => control?.stop());

const invoked = (ids: readonly string[], failed?: string): Invoked => ({
  place: 'work',
  ids,
  startedAtMs: 1_000,
  endedAtMs: 2_000,
  ...(failed === undefined ? {} : { failed }),
});

/** Books over messages whose handlers called the downstream with these ids, accepted or refused. */
async function booksOf(
  calls: readonly (readonly [id: string, accepted: boolean, attempt?: number])[],
  parts: Partial<Evidence>,
) {
  control = await Control.start(NO_PLAN);
  for (const [id, accepted, attempt = 1] of calls) {
    control.ledger.call({ id, key: `k:${id}`, attempt, place: 'work', pid: 1 }, accepted);
  }
  return keepBooks({
    published: ['a'],
    control,
    plan: NO_PLAN,
    completed: undefined,
    parked: [],
    invoked: [],
    disturbances: [],
    inFlight: 0,
    maxAttempts: 3,
    ...parts,
  });
}

describe('the books of a chaos run', () => {
  it('call a message lost that is nowhere', async () => {
    const books = await booksOf([], {});
    expect(books.lost).toEqual(['a']);
    expect(lostCount(books)).toBe(1);
  });

  it('do not call it lost while it is on its way', async () => {
    expect(lostCount(await booksOf([], { inFlight: 1 }))).toBe(0);
  });

  it('do not take a side effect for the end where its record is missing', async () => {
    const books = await booksOf([['a', true]], { completed: new Set() });
    expect(books.lost).toEqual(['a']);
  });

  it('call a message torn that is done and parked', async () => {
    const parked = [{ messageId: 'a', class: 'transient' }];
    expect((await booksOf([['a', true]], { parked })).torn).toEqual(['a']);
  });

  it('call a second parked copy surplus unless an interrupted invocation had the message', async () => {
    const copy = { messageId: 'a', class: 'invalid' };
    const parked = [copy, copy];
    expect((await booksOf([['a', false]], { parked })).surplus).toEqual(['a']);
    const interrupted = { parked, invoked: [invoked(['a'], 'DIED')] };
    expect((await booksOf([['a', false]], interrupted)).surplus).toEqual([]);
  });

  it('count every record of an interrupted invocation', async () => {
    const books = await booksOf([], { invoked: [invoked(['a', 'a', 'b'], 'TIMEOUT')] });
    expect(books.messages[0]?.interruptions).toBe(2);
  });

  it('count an invocation that met a cut connection as interrupted', async () => {
    const disturbances = [{ fromMs: 1_500, toMs: 1_500 }];
    const { messages } = await booksOf([], { invoked: [invoked(['a'])], disturbances });
    expect(messages[0]?.interruptions).toBe(1);
  });

  it('find a run numbered above the cap, and more runs than the cap', async () => {
    expect((await booksOf([['a', false, 4]], {})).overCap).toEqual(['a']);
    const four = [1, 2, 3, 3].map((attempt) => ['a', false, attempt] as const);
    expect((await booksOf(four, {})).overCap).toEqual(['a']);
    expect((await booksOf(four.slice(1), {})).overCap).toEqual([]);
  });

  it('find an innocent parked as poison, and a culprit parked as something else', async () => {
    const poison = { ...NO_PLAN, poison: new Map([['a', 'SIGKILL' as const]]) };
    const as = (name: string) => [{ messageId: 'a', class: name }];
    expect((await booksOf([], { parked: as('poison') })).wronglyConvicted).toEqual(['a']);
    const culprit = { plan: poison, parked: as('poison') };
    expect((await booksOf([], culprit)).wronglyConvicted).toEqual([]);
    const missed = { plan: poison, parked: as('undelivered') };
    expect((await booksOf([], missed)).wronglyConvicted).toEqual(['a']);
  });

  it('count what is applied twice at both kinds of downstream', async () => {
    const { appliedTwice } = await booksOf(
      [
        ['a', true],
        ['a', true],
      ],
      {},
    );
    expect(appliedTwice).toEqual({ ignoring: 1, honouring: 0 });
  });
});

describe('the ledger of runs cut between effect and record', () => {
  it('has what a process had not recorded when it died, and nothing else', async () => {
    control = await Control.start(NO_PLAN);
    const { ledger } = control;
    const call = (id: string) =>
      ledger.call({ id, key: id, attempt: 1, place: 'work', pid: 7 }, true);
    call('recorded');
    ledger.completed(7, 'recorded');
    call('cut');
    ledger.died(7);
    expect(ledger.cutRuns).toEqual([{ id: 'cut', pid: 7 }]);
  });
});
