import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * A small JSON file that the local run and commands in other terminals tell each other by. Undefined
 * when nobody has written it yet.
 *
 * @throws when it can't be read or holds no JSON: unknown is not the same as not there
 */
export async function readStateFile<T>(file: string): Promise<T | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new Error(`${file} holds no JSON; mend it or remove it`, { cause });
  }
}

/** Writes the file as a whole: a reader sees what was there before or all of this. */
export async function writeStateFile(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const part = `${file}.${process.pid}.part`;
  await writeFile(part, `${JSON.stringify(value, undefined, 2)}\n`);
  await rename(part, file);
}
