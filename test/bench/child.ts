import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The longest of them fills queues of 50,000 on whatever disk there is. */
const TIMEOUT_MS = 420_000;

/** Of a child's stderr, so much is kept for the error when it ends without a result. */
const STDERR_LIMIT = 2_000;

/**
 * Runs a file of this folder in a process of its own and resolves with what it sends. Its stdout goes
 * nowhere: log lines of failures are written there by the thousand.
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
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: TIMEOUT_MS,
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_LIMIT);
  });
  return new Promise((resolve, reject) => {
    child.once('message', (result) => resolve(result as Result));
    child.once('close', (code, signal) =>
      reject(new Error(`${file} ended without a result (${signal ?? code}): ${stderr.trim()}`)),
    );
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}
