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
    throw new UsageError(`Can't read '${path}': ${(cause as Error).message}`, { cause });
  }
}

export async function readJson(path: string): Promise<unknown> {
  const text = (await readInput(path)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`'${path}' is no JSON: ${(cause as Error).message}`, { cause });
  }
}
