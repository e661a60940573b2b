import { describe, expect, it, vi } from 'vitest';
import { printJson, textTable, visible } from '../../../cli/output.ts';

describe('visible', () => {
  it.each([
    ['an escape sequence that would clear the screen', '\u001b[2J', '\\u001b[2J'],
    ['a line break, which would forge a row', 'a\nb', 'a\\u000ab'],
    ['the C1 form of an escape', '\u009b31m', '\\u009b31m'],
    ['text that runs backwards', 'abc\u202etxt', 'abc\\u202etxt'],
    ['a line separator', 'a\u2028b', 'a\\u2028b'],
  ])('shows %s instead of obeying it', (_what, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('leaves letters of any script alone', () => {
    expect(visible('Größe 注文 🚚')).toBe('Größe 注文 🚚');
  });
});

describe('textTable', () => {
  it('aligns columns two spaces apart, with nothing after the last', () => {
    const table = textTable(
      ['class', 'what'],
      [
        ['transient', 'retried'],
        ['bug', ''],
      ],
    );
    expect(table.split('\n')).toEqual(['class      what', 'transient  retried', 'bug']);
  });

  it('has no head when none is given', () => {
    expect(textTable([], [['a', 'b']])).toBe('a  b');
  });

  it('never lets a cell reach the terminal raw', () => {
    expect(textTable(['message'], [['\u001b]0;owned\u0007']])).toContain('\\u001b]0;owned\\u0007');
  });
});

describe('printJson', () => {
  it('writes one line, and integers beyond 2^53 as text', () => {
    const lines: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
    printJson({ count: 2n ** 60n, text: 'a\nb' });
    log.mockRestore();
    expect(lines).toEqual(['{"count":"1152921504606846976","text":"a\\nb"}']);
  });
});
