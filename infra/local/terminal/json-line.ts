import type { Books } from '../books/reckon.ts';

/** The last line of `--json`: the books, the broker they were kept on and how long the run took. */
export function jsonLine(books: Books, broker: string, elapsedMs: number): string {
  return JSON.stringify({
    published: books.published,
    processed: books.processed,
    parked: books.parked,
    discarded: books.discarded,
    duplicatesIgnored: books.duplicatesIgnored,
    replayed: books.replayed,
    inFlight: books.inFlight,
    lost: books.lost,
    byClass: books.byClass,
    attempts: books.attempts,
    broker,
    seconds: Math.round(elapsedMs / 100) / 10,
  });
}
