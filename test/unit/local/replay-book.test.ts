import { describe, expect, it } from 'vitest';
import { emf } from '../../../functions/consumer/metrics.ts';
import { skippedLines, tickLine } from '../../../functions/replay/metrics.ts';
import { ReplayBook } from '../../../infra/local/replay/replay-book.ts';

const WHERE = { environment: 'local', flow: 'orders' };
const deed = (messageId: string, what: string, flow = 'orders') =>
  JSON.stringify({ message: 'replay', flow, messageId, deed: what, replayRun: 'run-1' });

describe('the book of replay', () => {
  it('knows which messages of a flow were moved, each once', () => {
    const book = new ReplayBook();
    const lines = [
      deed('a', 'moved'),
      deed('a', 'moved'),
      deed('b', 'presumed-moved'),
      deed('c', 'left'),
      deed('d', 'duplicate'),
      deed('x', 'moved', 'mine'),
      'START RequestId: 1',
      '{',
      '[]',
    ];
    for (const line of lines) book.read(line);
    expect([...book.movedOf('orders')]).toEqual(['a', 'b']);
    expect(book.movedCount).toBe(3);
    expect(book.movedOf('other').size).toBe(0);
  });

  it('knows of each look what it moved and which guards kept something back', () => {
    const book = new ReplayBook();
    book.read(tickLine(WHERE, false, 0));
    for (const line of skippedLines(WHERE, { 'min-age': 3, origin: 1 }, 0)) book.read(line);
    book.read(deed('a', 'moved'));
    expect(book.endLook()).toEqual({ moved: 1, guards: new Set(['min-age', 'origin']) });
    book.read(emf(0, { ...WHERE, guard: 'min-age' }, { Other: 1 }));
    expect(book.endLook()).toEqual({ moved: 0, guards: new Set() });
  });
});
