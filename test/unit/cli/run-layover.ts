import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { layover } from '../../../cli/program.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process and gives what it said where. */
export async function runLayover(...argv: readonly string[]): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const out = vi.spyOn(console, 'log').mockImplementation((text) => {
    said.stdout += `${text}\n`;
  });
  const err = vi.spyOn(console, 'error').mockImplementation((text) => {
    said.stderr += `${text}\n`;
  });
  try {
    const code = await layover(argv);
    return { code, ...said };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

/** A folder that is removed when the test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'layover-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function tempFile(name: string, content: string | Buffer): Promise<string> {
  const file = join(await tempFolder(), name);
  await writeFile(file, content);
  return file;
}
