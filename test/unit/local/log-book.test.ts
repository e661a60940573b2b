import { describe, expect, it } from 'vitest';
import { Counters } from '../../../functions/consumer/metrics.ts';
import { LogBook } from '../../../infra/local/books/log-book.ts';

const settled = (fields: object): string =>
  JSON.stringify({ level: 'WARN', message: 'settled', flow: 'orders', ...fields });

describe('LogBook', () => {
  it('reads what became of a message', () => {
    const book = new LogBook();
    const line = settled({
      messageId: 'm-1',
      verdict: 'retry',
      class: 'transient',
      attempt: 2,
      to: 'orders.wait.10s',
      errorMessage: 'no answer',
    });
    expect(book.read(line)).toEqual({
      messageId: 'm-1',
      flow: 'orders',
      verdict: 'retry',
      class: 'transient',
      attempt: 2,
      to: 'orders.wait.10s',
      errorMessage: 'no answer',
    });
  });

  it('gives the ids of a verdict, one per line', () => {
    const book = new LogBook();
    for (const [messageId, verdict] of [
      ['a', 'discard'],
      ['b', 'duplicate'],
      ['a', 'discard'],
    ]) {
      book.read(settled({ messageId, verdict }));
    }
    expect(book.idsOf('discard')).toEqual(['a', 'a']);
    expect(book.idsOf('duplicate')).toEqual(['b']);
    expect(book.idsOf('park')).toEqual([]);
  });

  it.each([
    'plain text',
    '',
    '{ not JSON',
    '{"message":"order charged","messageId":"m-1"}',
    '{"verdict":"park"}',
    '{"messageId":1,"verdict":"park"}',
    '[]',
  ])('takes no verdict from %j', (line) => {
    const book = new LogBook();
    expect(book.read(line)).toBeUndefined();
  });

  it('counts handler runs by attempt from the metrics the functions print', () => {
    const book = new LogBook();
    const counters = new Counters('local', 'orders');
    for (const attempt of [1, 1, 1, 2]) counters.attempt(attempt);
    for (const line of counters.lines(0)) book.read(line);
    expect([...book.handlerRuns]).toEqual([
      [1, 3],
      [2, 1],
    ]);
  });

  it('counts a single run, too', () => {
    const book = new LogBook();
    const counters = new Counters('local', 'orders');
    counters.attempt(4);
    for (const line of counters.lines(0)) book.read(line);
    expect(book.handlerRuns.get(4)).toBe(1);
  });
});
