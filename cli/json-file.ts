import { readFile } from 'node:fs/promises';
import { UsageError } from './exit.ts';

/** Reads a file named on the command line; `-` is standard input. */
export async function readInput(path: string): Promise<Buffer> {
  try {
    if (path !== '-') return await readFile(path);
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch (cause) {
    throw new UsageError(`Can't read '${path}': ${reasonOf(cause)}.`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file (from the folder the command runs in; - reads stdin)';
    case 'EISDIR':
      return 'it is a folder';
    case 'EACCES':
      return 'permission denied';
    default:
      return message;
  }
}

/** Text without the byte order mark that some editors put in front of it. */
export async function readText(path: string): Promise<string> {
  return (await readInput(path)).toString('utf8').replace(/^\ufeff/, '');
}

export async function readJson(path: string): Promise<unknown> {
  return parseJson(path, await readText(path));
}

/** @throws UsageError that names the file; an empty one is called empty. */
export function parseJson(path: string, text: string): unknown {
  if (text.trim() === '') throw new UsageError(`'${path}' is empty; JSON was expected.`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`'${path}' is no JSON: ${(cause as Error).message}`, { cause });
  }
}
