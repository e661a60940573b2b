import type { Books } from './reckon.ts';

const NOTHING: Books = {
  published: 0,
  processed: 0,
  parked: 0,
  discarded: 0,
  duplicatesIgnored: 0,
  replayed: 0,
  inFlight: 0,
  lost: 0,
  byClass: {},
  attempts: {},
  repeated: 0,
  lostIds: [],
  surplusIds: [],
  balanced: true,
};

/** The books of several flows as one; balanced only when each is. */
export function sumBooks(books: Iterable<Books>): Books {
  return [...books].reduce(
    (sum, one) => ({
      published: sum.published + one.published,
      processed: sum.processed + one.processed,
      parked: sum.parked + one.parked,
      discarded: sum.discarded + one.discarded,
      duplicatesIgnored: sum.duplicatesIgnored + one.duplicatesIgnored,
      replayed: sum.replayed + one.replayed,
      inFlight: sum.inFlight + one.inFlight,
      lost: sum.lost + one.lost,
      byClass: sumCounts(sum.byClass, one.byClass),
      attempts: sumCounts(sum.attempts, one.attempts),
      repeated: sum.repeated + one.repeated,
      lostIds: [...sum.lostIds, ...one.lostIds],
      surplusIds: [...sum.surplusIds, ...one.surplusIds],
      balanced: sum.balanced && one.balanced,
    }),
    NOTHING,
  );
}

function sumCounts(
  a: Readonly<Record<string, number>>,
  b: Readonly<Record<string, number>>,
): Record<string, number> {
  const sums = new Map(Object.entries(a));
  for (const [key, n] of Object.entries(b)) sums.set(key, (sums.get(key) ?? 0) + n);
  return Object.fromEntries(sums);
}
