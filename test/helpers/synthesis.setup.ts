import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    synthesisFolder: string;
  }
}

/** A folder for the whole run, in which the first test that needs the synthesised app leaves it for the others. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'layover-synthesis-'));
  project.provide('synthesisFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
