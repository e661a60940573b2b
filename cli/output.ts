import Table from 'cli-table3';

/** The result of a command, on stdout: what a program reads, or a person keeps. */
export const print = (text: string): void => console.log(text);

/** Anything else that is said to a person, on stderr. */
export const say = (text: string): void => console.error(text);

/** One JSON value on one line of stdout, for programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, bigintAsText));
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** A plain table without frames: readable in a terminal, in a pipe and in a ticket. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const none = '';
  const chars = {
    top: none,
    'top-mid': none,
    'top-left': none,
    'top-right': none,
    bottom: none,
    'bottom-mid': none,
    'bottom-left': none,
    'bottom-right': none,
    left: none,
    'left-mid': none,
    mid: none,
    'mid-mid': none,
    right: none,
    'right-mid': none,
    middle: '  ',
  };
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };
  const table = new Table({ head: [...head], chars, style });
  for (const row of rows) table.push(row.map(visible));
  return table.toString().replaceAll(/ +$/gm, '');
}

/** Messages come from strangers: control characters are shown, not obeyed by the terminal. */
export function visible(text: string): string {
  return text.replaceAll(CONTROL, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
