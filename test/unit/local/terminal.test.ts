import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { reckon } from '../../../infra/local/books/reckon.ts';
import { booksTable, booksVerdict } from '../../../infra/local/terminal/books-table.ts';
import { jsonLine } from '../../../infra/local/terminal/json-line.ts';
import {
  downstreamText,
  type Paint,
  plainLine,
  progressLines,
} from '../../../infra/local/terminal/progress-lines.ts';
import { clip, createScreen } from '../../../infra/local/terminal/screen.ts';
import type { Snapshot } from '../../../infra/local/terminal/snapshot.ts';

const same = (text: string): string => text;
const PLAIN: Paint = { dim: same, bold: same, good: same, bad: same, warn: same };
const ESC = '\u001b';

const SNAPSHOT: Snapshot = {
  elapsedMs: 12_400,
  published: 500,
  replayed: 0,
  flows: [
    {
      name: 'orders',
      ready: 120,
      held: 50,
      tiers: [
        { delay: '10s', messages: 12 },
        { delay: '1m', messages: 3 },
      ],
      isolated: 1,
      parked: 21,
      handlerRuns: new Map([
        [2, 30],
        [1, 300],
      ]),
    },
  ],
  downstreams: [
    {
      name: 'payments',
      accepted: 280,
      refusals: new Map([
        [0, 2],
        [503, 30],
      ]),
    },
  ],
};

const books = (published: readonly string[], parked: readonly string[], inFlight = 0) =>
  reckon({
    published,
    parked: parked.map((messageId) => ({ messageId, class: 'bug', attempt: 1 })),
    messageIdByWorkId: new Map(),
    ledger: [],
    discarded: [],
    duplicates: [],
    replayed: new Set<string>(),
    inFlight,
    failedInvocations: 0,
  });

describe('the progress display', () => {
  it('has the depth of each queue of a flow, waits by the delay the flow states', () => {
    const [head, row] = progressLines(SNAPSHOT, PLAIN);
    expect(head).toBe('             ready  working  isolated  parked  waiting');
    expect(row).toBe('  orders       120       50         1      21  10s 12  1m 3');
  });

  it('has a bar per attempt, in order, the longest for the most', () => {
    const bars = progressLines(SNAPSHOT, PLAIN).filter((line) => line.includes('█'));
    expect(bars).toHaveLength(2);
    expect(bars[0]).toMatch(/attempt 1 .*█{24} 300$/);
    expect(bars[1]).toMatch(/attempt 2 .* █{2} 30$/);
  });

  it('says what the downstream took and refused, most frequent first', () => {
    const text = progressLines(SNAPSHOT, PLAIN).join('\n');
    expect(text).toContain('payments   280 accepted, 32 refused (503 ×30, cut off ×2)');
    expect(text).toContain('12 s, 500 published');
  });

  it('says how many messages were replayed, once there are any', () => {
    const replayed = { ...SNAPSHOT, replayed: 7 };
    expect(progressLines(replayed, PLAIN).join('\n')).toContain('500 published, 7 replayed');
    expect(plainLine(replayed)).toMatch(/21 parked · 7 replayed$/);
    expect(plainLine(SNAPSHOT)).not.toContain('replayed');
  });

  it('says nothing of refusals when there are none', () => {
    expect(downstreamText({ name: 'push', accepted: 3, refusals: new Map() })).toBe('3 accepted');
  });

  it('is one line when piped', () => {
    expect(plainLine(SNAPSHOT)).toBe(' 12 s  orders: 170 to do, 15 waiting, 1 isolated, 21 parked');
  });
});

describe('the accounting table', () => {
  it('has a column per flow and one for all', () => {
    const one = books(['a', 'b'], ['a', 'b']);
    const table = booksTable(
      new Map([
        ['orders', one],
        ['mine', one],
      ]),
      one,
      PLAIN,
    );
    expect(table.split('\n')[1]).toMatch(/orders.*mine.*all.*counted/);
    expect(table).toMatch(/published .* 2 .* 2 .* 2 .* confirmed by the broker/);
    expect(table).toMatch(/bug .* 2/);
    expect(table).toMatch(/lost .* 0/);
  });

  it('has one column for the only flow', () => {
    const one = books(['a'], ['a']);
    const [, head] = booksTable(new Map([['orders', one]]), one, PLAIN).split('\n');
    expect(head).not.toContain('all');
  });

  it('says that the books balance', () => {
    const lines = booksVerdict(books(['a'], ['a']), PLAIN);
    expect(lines).toContain('The books balance: every message is accounted for.');
    expect(lines[0]).toBe('Ended: 1 at attempt 1.');
  });

  it('says how many were parked and replayed', () => {
    const replayed = { ...books(['a'], ['a']), replayed: 2 };
    expect(booksVerdict(replayed, PLAIN).join('\n')).toContain(
      'Automatic replay put 2 parked messages back',
    );
    expect(booksTable(new Map([['orders', replayed]]), replayed, PLAIN)).toMatch(/replayed .* 2 /);
  });

  it('names what is lost, ten ids at most', () => {
    const published = Array.from({ length: 12 }, (_, index) => `m-${index}`);
    const text = booksVerdict(books(published, []), PLAIN).join('\n');
    expect(text).toContain('The books do not balance.');
    expect(text).toContain('lost: m-0, m-1,');
    expect(text).toContain('m-9 and 2 more');
  });

  it('names what is parked too often, and counts what is in flight', () => {
    expect(booksVerdict(books(['a'], ['a', 'a']), PLAIN).join('\n')).toContain(
      'parked too often: a',
    );
    expect(booksVerdict(books(['a'], [], 1), PLAIN).join('\n')).toContain('still in flight: 1');
  });
});

describe('the JSON line', () => {
  it('has exactly the documented fields, in their order', () => {
    const line = jsonLine(books(['a'], ['a']), 'RabbitMQ 4.3.6', 12_345);
    expect(line).toBe(
      '{"published":1,"processed":0,"parked":1,"discarded":0,"duplicatesIgnored":0,"replayed":0,"inFlight":0,"lost":0,"byClass":{"bug":1},"attempts":{"1":1},"broker":"RabbitMQ 4.3.6","seconds":12.3}',
    );
  });
});

describe('the screen', () => {
  function screenOf(isTTY: boolean) {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 20 });
    const screen = createScreen(stream as unknown as NodeJS.WriteStream);
    return { screen, written: () => String(stream.read() ?? '') };
  }

  it('prints plain lines and draws nothing when piped', () => {
    const { screen, written } = screenOf(false);
    screen.print('one');
    screen.draw(['block']);
    expect(screen.live).toBe(false);
    expect(screen.paint.bad('red')).toBe('red');
    expect(written()).toBe('one\n');
  });

  it('redraws its block in place on a terminal', () => {
    const { screen, written } = screenOf(true);
    screen.draw(['a', 'b']);
    screen.draw(['c']);
    expect(written()).toBe(`a\nb\n${ESC}[2A${ESC}[0Jc\n`);
  });

  it('keeps the block below the lines that stay', () => {
    const { screen, written } = screenOf(true);
    screen.draw(['block']);
    screen.print('stays');
    expect(written()).toBe(`block\n${ESC}[1A${ESC}[0Jstays\nblock\n`);
  });

  it('leaves the block where it is once settled', () => {
    const { screen, written } = screenOf(true);
    screen.draw(['block']);
    screen.settle();
    screen.print('below');
    expect(written()).toBe('block\nbelow\n');
  });

  it('cuts the lines of a block to the width, so that none wraps', () => {
    const { screen, written } = screenOf(true);
    screen.draw(['x'.repeat(50)]);
    expect(written()).toBe(`${'x'.repeat(19)}\n`);
  });

  it('does not count colours when it cuts', () => {
    const red = `${ESC}[31mred${ESC}[39m and more`;
    expect(clip(red, 7)).toBe(`${ESC}[31mred${ESC}[39m an`);
  });
});
