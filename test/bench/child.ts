import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const TIMEOUT_MS = 180_000;

/**
 * Runs a file of this folder in a process of its own and resolves with what it sends. Its stdout goes
 * nowhere; its stderr too, since log lines of failures are written there by the thousand.
 */
export function runChild<Result>(
  file: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  execArgv: readonly string[] = [],
): Promise<Result> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = fork(path, [...args], {
    env: { ...process.env, ...env },
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: TIMEOUT_MS,
  });
  return new Promise((resolve, reject) => {
    child.once('message', (result) => resolve(result as Result));
    child.once('exit', (code, signal) =>
      reject(new Error(`${file} ended without a result (${signal ?? code})`)),
    );
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
