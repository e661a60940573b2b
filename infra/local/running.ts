import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A local run that stays up (`npm start -- --keep`), as commands in another terminal find it. */
export interface RunningLocalRun {
  readonly pid: number;
  readonly amqpUrl: string;
  /** What its functions have in their environment: table, time scale, downstreams. */
  readonly env: Readonly<Record<string, string>>;
}

const FILE = fileURLToPath(
  new URL('../../node_modules/.cache/layover/local-run.json', import.meta.url),
);

/** Lets commands in another terminal find this run; the returned function takes that back. */
export async function announce(run: RunningLocalRun): Promise<() => Promise<void>> {
  await mkdir(dirname(FILE), { recursive: true });
  // The URL has a password in it: for the owner's eyes.
  await writeFile(FILE, JSON.stringify(run), { mode: 0o600 });
  return () => rm(FILE, { force: true });
}

/** The local run that is up, or undefined. A file left behind by a dead one counts for nothing. */
export async function runningLocalRun(): Promise<RunningLocalRun | undefined> {
  try {
    const run = JSON.parse(await readFile(FILE, 'utf8')) as RunningLocalRun;
    process.kill(run.pid, 0);
    return run;
  } catch {
    return undefined;
  }
}
