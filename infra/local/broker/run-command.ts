import { spawn } from 'node:child_process';

/** How a command ended, with what it printed (the last 256 KiB of each). */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Out of reach of the terminal's Ctrl-C, for what must not be cut off in the middle. Default: within. */
  readonly ownSession?: boolean;
  /** Called every ten seconds while it runs, with the seconds so far. */
  readonly onWait?: (seconds: number) => void;
}

const WAIT_NOTICE_MS = 10_000;
const OUTPUT_LIMIT = 256 * 1024;

/**
 * Runs a command to its end, without a shell and without stdin.
 * A non-zero exit is a result, not an error; throws when it can't be started, when `timeoutMs` is over
 * or when `signal` aborts; the command is told to end then.
 */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    const startedAtMs = Date.now();
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      detached: options.ownSession ?? false,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout = (stdout + chunk.toString()).slice(-OUTPUT_LIMIT);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-OUTPUT_LIMIT);
    });

    const notice = setInterval(() => {
      options.onWait?.(Math.round((Date.now() - startedAtMs) / 1000));
    }, WAIT_NOTICE_MS);
    const finish = (settle: () => void): void => {
      clearInterval(notice);
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const giveUp = (error: Error): void => {
      child.kill('SIGTERM');
      finish(() => reject(error));
    };
    const onAbort = (): void => giveUp(new Error(`${command} was interrupted`));
    const timer = setTimeout(
      () => giveUp(new Error(`${command} did not end within ${options.timeoutMs / 1000} s`)),
      options.timeoutMs,
    );
    options.signal?.addEventListener('abort', onAbort, { once: true });
    child.once('error', (error) => finish(() => reject(error)));
    child.once('close', (code) => finish(() => resolve({ exitCode: code ?? 1, stdout, stderr })));
  });
}
