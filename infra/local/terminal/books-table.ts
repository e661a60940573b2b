import Table from 'cli-table3';
import type { Books } from '../books/reckon.ts';
import type { Paint } from './progress-lines.ts';

/** The accounting table: a column per flow and one for all, each figure with where it was counted. */
export function booksTable(perFlow: ReadonlyMap<string, Books>, all: Books, paint: Paint): string {
  const columns = perFlow.size > 1 ? [...perFlow.values(), all] : [all];
  const names = perFlow.size > 1 ? [...perFlow.keys(), 'all'] : [...perFlow.keys()];
  const table = new Table({
    head: ['', ...names, 'counted'],
    colAligns: ['left', ...names.map(() => 'right' as const), 'left'],
    style: { head: [], border: [], compact: true },
  });
  const row = (label: string, read: (books: Books) => number, where: string): void => {
    table.push([label, ...columns.map((books) => figure(read(books))), paint.dim(where)]);
  };
  row('published', ({ published }) => published, 'confirmed by the broker');
  row('processed', ({ processed }) => processed, 'what the downstream saw');
  row(paint.dim('  replayed'), ({ replayed }) => replayed, 'had been parked: replay’s log');
  row('parked', ({ parked }) => parked, 'read from the parking queues');
  for (const name of Object.keys(all.byClass)) {
    row(paint.dim(`  ${name}`), ({ byClass }) => byClass[name] ?? 0, '');
  }
  row('discarded', ({ discarded }) => discarded, 'the functions’ log');
  row('duplicates', ({ duplicatesIgnored }) => duplicatesIgnored, 'the functions’ log');
  row('in flight', ({ inFlight }) => inFlight, 'all other queues');
  row(paint.bold('lost'), ({ lost }) => lost, 'what is left');
  return table.toString();
}

function figure(value: number): string {
  return value.toLocaleString('en-GB');
}

/** What the table means, in a line or a few. */
export function booksVerdict(books: Books, paint: Paint): string[] {
  const attempts = Object.entries(books.attempts).map(
    ([attempt, n]) => `${n} at attempt ${attempt}`,
  );
  const lines = [`Ended: ${attempts.join(', ')}.`];
  if (books.replayed > 0) {
    lines.push(
      `Automatic replay put ${books.replayed === 1 ? 'one parked message' : `${books.replayed} parked messages`} back; each is counted where it ended.`,
    );
  }
  if (books.repeated > 0) {
    lines.push(
      `${books.repeated === 1 ? 'Once' : `${books.repeated} times`} an effect was asked for again, and the Idempotency-Key kept it from happening twice.`,
    );
  }
  if (books.balanced && books.surplusIds.length > 0) {
    lines.push(
      `Parked again after a crash that came between parking and acknowledging: ${sample(books.surplusIds)}.`,
    );
  }
  if (books.balanced) {
    lines.push(paint.good('The books balance: every message is accounted for.'));
    return lines;
  }
  lines.push(paint.bad('The books do not balance.'));
  if (books.lost > 0) lines.push(`  lost: ${sample(books.lostIds)}`);
  if (books.inFlight > 0) lines.push(`  still in flight: ${books.inFlight}`);
  if (books.surplusIds.length > 0) lines.push(`  parked too often: ${sample(books.surplusIds)}`);
  return lines;
}

function sample(ids: readonly string[]): string {
  const shown = ids.slice(0, 10).join(', ');
  return ids.length > 10 ? `${shown} and ${ids.length - 10} more` : shown;
}
