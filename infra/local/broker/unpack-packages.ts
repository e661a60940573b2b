import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  aptReason,
  packagesToUnpack,
  parseDependencies,
  parseSimulation,
  privateAptOptions,
  relocatableErl,
  SERVER_PACKAGE,
} from './apt.ts';
import { cacheFolder } from './cache-folder.ts';
import { ChoiceFailedError, reasonOf } from './errors.ts';
import { type CommandResult, runCommand } from './run-command.ts';
import type { ChoiceContext } from './types.ts';

const UPDATE_TIMEOUT_MS = 180_000;
const RESOLVE_TIMEOUT_MS = 60_000;
const DOWNLOAD_TIMEOUT_MS = 300_000;
const UNPACK_TIMEOUT_MS = 120_000;
const WORK_PREFIX = 'fetch-';
const ABANDONED_AFTER_MS = 3_600_000;

/**
 * Fetches Debian's or Ubuntu's RabbitMQ and Erlang as a plain user and unpacks them into a cache folder.
 * Resolves with the root of the unpacked files; a later run finds them there.
 * Throws a `ChoiceFailedError` with the reason.
 */
export async function unpackPackages(
  context: ChoiceContext,
): Promise<{ root: string; fresh: boolean }> {
  const cache = await cacheFolder(context.env).catch((error: unknown) => {
    throw new ChoiceFailedError(reasonOf(error), { cause: error });
  });
  const root = join(cache, `rabbitmq-${await suiteName()}-${process.arch}`);
  if (await isComplete(root)) {
    context.print(`  using the packages unpacked in ${root}`);
    return { root, fresh: false };
  }
  await removeAbandoned(cache);
  // Made under another name and renamed when complete: two checkouts may do this at the same time.
  const work = await mkdtemp(join(cache, WORK_PREFIX));
  try {
    const unpacked = join(work, 'root');
    await mkdir(unpacked);
    await fetchAndUnpack(work, unpacked, context);
    await rename(unpacked, root).catch(async (error: unknown) => {
      // The other one was first, and may be running from it already.
      if (!(await isComplete(root))) throw error;
    });
    return { root, fresh: true };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function fetchAndUnpack(
  work: string,
  unpacked: string,
  { print, signal, env }: ChoiceContext,
): Promise<void> {
  const debs = join(work, 'debs');
  for (const folder of ['lists/partial', 'cache/archives/partial', 'debs']) {
    await mkdir(join(work, folder), { recursive: true });
  }
  const options = privateAptOptions(work);
  const run = async (
    command: string,
    args: readonly string[],
    timeoutMs: number,
    what?: string,
  ): Promise<CommandResult> => {
    if (what !== undefined) print(`  ${what} …`);
    return runCommand(command, args, {
      timeoutMs,
      signal,
      cwd: debs,
      env: { ...env, LC_ALL: 'C.UTF-8' },
      onWait: (seconds) => print(`  … still ${what ?? command}, ${seconds} s`),
    });
  };
  const must = ({ exitCode, stdout, stderr }: CommandResult, what: string): string => {
    if (exitCode !== 0) throw new ChoiceFailedError(`${what}: ${aptReason(stderr || stdout)}`);
    return stdout;
  };

  // Its exit code is not looked at: one source of several may be out of order.
  const lists = 'reading the package lists';
  await run('apt-get', [...options, '-q', 'update'], UPDATE_TIMEOUT_MS, lists);
  const dependencies = await run(
    'apt-cache',
    [
      ...options,
      ...['depends', '--recurse', '--no-recommends', '--no-suggests', '--no-conflicts'],
      ...['--no-breaks', '--no-replaces', '--no-enhances', SERVER_PACKAGE],
    ],
    RESOLVE_TIMEOUT_MS,
  );
  const simulation = await run(
    'apt-get',
    [...options, '--simulate', '--no-install-recommends', 'install', SERVER_PACKAGE],
    RESOLVE_TIMEOUT_MS,
  );
  const names = packagesToUnpack(
    parseDependencies(must(dependencies, 'looking for rabbitmq-server')),
    parseSimulation(simulation.stdout),
  );
  const fetching = `fetching ${names.length} packages, about 35 MB`;
  must(
    await run('apt-get', [...options, '-q', 'download', ...names], DOWNLOAD_TIMEOUT_MS, fetching),
    'fetching packages',
  );
  print('  unpacking …');
  for (const file of await readdir(debs)) {
    must(await run('dpkg', ['-x', file, unpacked], UNPACK_TIMEOUT_MS), `unpacking ${file}`);
  }
  const erl = join(unpacked, 'usr/lib/erlang/bin/erl');
  await writeFile(erl, relocatableErl(await readFile(erl, 'utf8')));
}

/** Half-done work of runs that were killed; what is younger may belong to one that is at it now. */
async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    if (!name.startsWith(WORK_PREFIX)) continue;
    const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS)
      await rm(folder, { recursive: true, force: true });
  }
}

/** Only complete ones are ever given that name, so that its server script being there is enough. */
async function isComplete(root: string): Promise<boolean> {
  return (await readdir(join(root, 'usr/lib/rabbitmq/bin')).catch(() => [])).length > 0;
}

/** `bookworm`, `noble`, …: a cache made under another release must not be used. */
async function suiteName(): Promise<string> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return /^VERSION_CODENAME=["']?([\w.-]+)/m.exec(text)?.[1] ?? 'unknown';
}
