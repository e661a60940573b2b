import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A local run that stays up (`npm start -- --keep`), as commands in another terminal find it. */
export interface RunningLocalRun {
  readonly pid: number;
  /** Epoch milliseconds. */
  readonly startedAtMs: number;
  readonly amqpUrl: string;
  /** The flows whose queues it made and reads. */
  readonly flows: readonly string[];
  /** What its functions have in their environment: table, time scale, downstreams. */
  readonly env: Readonly<Record<string, string>>;
}

const FOLDER = fileURLToPath(
  new URL('../../node_modules/.cache/layover/local-runs/', import.meta.url),
);

/**
 * Lets commands in another terminal find this run, by a file of its own; the returned function takes
 * that back. A process that is killed leaves the file behind, which counts for nothing then.
 */
export async function announce(
  run: RunningLocalRun,
  folder = FOLDER,
): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${run.pid}.json`);
  // The URL has a password in it: for the owner's eyes.
  await writeFile(file, JSON.stringify(run), { mode: 0o600 });
  return () => rm(file, { force: true });
}

/** The local runs that are up, the newest first. Files left behind by dead ones are removed. */
export async function runningLocalRuns(folder = FOLDER): Promise<readonly RunningLocalRun[]> {
  const names = await readdir(folder).catch(() => []);
  const runs: RunningLocalRun[] = [];
  for (const name of names.filter((each) => /^\d+\.json$/.test(each))) {
    const file = join(folder, name);
    if (!isAlive(Number.parseInt(name, 10))) {
      await rm(file, { force: true });
      continue;
    }
    const run = await readRun(file);
    if (run !== undefined) runs.push(run);
  }
  return runs.sort((a, b) => b.startedAtMs - a.startedAtMs);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Undefined for a file that is being written or taken back at this moment. */
async function readRun(file: string): Promise<RunningLocalRun | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as RunningLocalRun;
  } catch {
    return undefined;
  }
}
