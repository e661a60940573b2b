import pc from 'picocolors';
import type { Paint } from './progress-lines.ts';

/** Where people's lines go: a terminal whose last lines are redrawn, or a pipe that gets plain ones. */
export interface Screen {
  readonly live: boolean;
  readonly paint: Paint;
  /** A line that stays. */
  print(line: string): void;
  /** Replaces the block below the lines that stay; only on a terminal. */
  draw(lines: readonly string[]): void;
  /** Leaves the block as it is; the next line goes below it. */
  settle(): void;
}

type Stream = NodeJS.WriteStream;

const ESC = String.fromCharCode(27);
const COLOUR = new RegExp(`(${ESC}\\[[0-9;]*m)`);

const PLAIN: Paint = {
  dim: (text) => text,
  bold: (text) => text,
  good: (text) => text,
  bad: (text) => text,
  warn: (text) => text,
};

/** Makes the screen for a stream: colours and redrawing only where it is a terminal. */
export function createScreen(stream: Stream): Screen {
  const live = stream.isTTY === true && process.env.TERM !== 'dumb';
  let drawn = 0;

  const erase = (): string => (drawn === 0 ? '' : `${ESC}[${drawn}A${ESC}[0J`);
  const clipped = (line: string): string => clip(line, stream.columns ?? 80);

  let block: readonly string[] = [];
  return {
    live,
    paint: live ? terminalPaint() : PLAIN,
    print(line) {
      if (!live) {
        stream.write(`${line}\n`);
        return;
      }
      stream.write(`${erase()}${line}\n${block.map((part) => `${clipped(part)}\n`).join('')}`);
      drawn = block.length;
    },
    draw(lines) {
      if (!live) return;
      block = lines;
      stream.write(erase() + lines.map((line) => `${clipped(line)}\n`).join(''));
      drawn = lines.length;
    },
    settle() {
      block = [];
      drawn = 0;
    },
  };
}

function terminalPaint(): Paint {
  const { dim, bold, green, red, yellow } = pc.createColors(!process.env.NO_COLOR);
  return { dim, bold, good: green, bad: red, warn: yellow };
}

/** Cuts a line to the terminal's width, escape sequences not counted: a wrapped line can't be redrawn. */
export function clip(line: string, columns: number): string {
  let room = columns - 1;
  let result = '';
  for (const part of line.split(COLOUR)) {
    if (part.startsWith(ESC)) {
      result += part;
      continue;
    }
    const shown = [...part].slice(0, room).join('');
    room -= [...shown].length;
    result += shown;
  }
  return result;
}
