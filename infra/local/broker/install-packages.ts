import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  aptReason,
  DPKG_PATH,
  SERVER_PACKAGE,
  SERVICE_COMMANDS,
  serviceCommandStandIn,
} from './apt.ts';
import { ChoiceFailedError } from './errors.ts';
import { runCommand } from './run-command.ts';
import type { ChoiceContext } from './types.ts';

const UPDATE_TIMEOUT_MS = 180_000;
const DOWNLOAD_TIMEOUT_MS = 300_000;
const INSTALL_TIMEOUT_MS = 300_000;

/**
 * Installs `rabbitmq-server` with apt-get, as root, starting and enabling no service.
 * Throws a `ChoiceFailedError` with apt's own reason.
 */
export async function installPackages({ print, signal, env }: ChoiceContext): Promise<void> {
  const standIns = await mkdtemp(join(tmpdir(), 'layover-apt-'));
  try {
    for (const command of SERVICE_COMMANDS) {
      const path = join(standIns, command);
      await writeFile(path, serviceCommandStandIn(command));
      await chmod(path, 0o755);
    }
    const apt = async (
      what: string,
      args: readonly string[],
      timeoutMs: number,
      interruptible = true,
    ): Promise<void> => {
      print(`  ${what} …`);
      const { exitCode, stdout, stderr } = await runCommand('apt-get', args, {
        timeoutMs,
        ...(interruptible ? { signal } : { ownSession: true }),
        env: { ...env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
        onWait: (seconds) => print(`  … still ${what}, ${seconds} s`),
      });
      if (exitCode !== 0) throw new ChoiceFailedError(`${what}: ${aptReason(stderr || stdout)}`);
    };
    const install = [
      ...['-y', '-q', '--no-install-recommends'],
      ...['-o', 'DPkg::Lock::Timeout=120', '-o', `DPkg::Path=${standIns}:${DPKG_PATH}`],
      ...['install', SERVER_PACKAGE],
    ];
    await apt('reading the package lists', ['-q', 'update'], UPDATE_TIMEOUT_MS).catch((error) => {
      // One source of several may be out of order; whether the package is to be had shows next.
      print(`  ${error instanceof Error ? error.message : error}`);
      signal?.throwIfAborted();
    });
    await apt('fetching packages', ['--download-only', ...install], DOWNLOAD_TIMEOUT_MS);
    // Not interruptible: a package database left half-written is worse than half a minute of waiting.
    await apt('installing packages', install, INSTALL_TIMEOUT_MS, false);
  } finally {
    await rm(standIns, { recursive: true, force: true });
  }
}
