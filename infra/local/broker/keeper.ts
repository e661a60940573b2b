import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ChoiceFailedError } from './errors.ts';
import { parseKeeperLine } from './keeper-protocol.ts';

const STOP_TIMEOUT_MS = 20_000;
/** Time for a keeper to load and say its first word. */
const FIRST_WORD_TIMEOUT_MS = 30_000;

/** A keeper process seen from its parent; see `keeper-main.ts`. */
export interface Keeper {
  /** What the keeper said of the thing it started. */
  readonly data: unknown;
  /** Why the thing it started is no more, once that is so. */
  gone(): string | undefined;
  /** Has it tidied up; resolves when all is gone. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts `module` as a keeper with `spec` and waits until it is ready.
 * Throws a `ChoiceFailedError` with the keeper's reason, or when a step takes longer than the keeper allowed it;
 * what was started by then is taken down first.
 */
export async function startKeeper(
  module: URL,
  spec: unknown,
  options: {
    readonly onStep?: (text: string) => void;
    readonly signal?: AbortSignal | undefined;
    readonly env?: NodeJS.ProcessEnv;
  },
): Promise<Keeper> {
  options.signal?.throwIfAborted();
  const child = spawn(process.execPath, [fileURLToPath(module), JSON.stringify(spec)], {
    // A session of its own: Ctrl-C in the terminal reaches us, not the keeper.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...options.env, NODE_OPTIONS: '' },
  });
  const stop = stopper(child);
  const lastWords = collectLastWords(child.stderr);
  let gone: string | undefined;
  child.stdin.on('error', () => {});

  try {
    const data = await new Promise<unknown>((resolve, reject) => {
      const fail = (reason: string): void => {
        gone ??= reason;
        clearTimeout(timer);
        reject(new ChoiceFailedError(gone));
      };
      const waitFor = (text: string, withinMs: number): NodeJS.Timeout =>
        setTimeout(
          () => fail(`${text}: nothing within ${Math.round(withinMs / 1000)} s`),
          withinMs,
        );
      let timer = waitFor('starting', FIRST_WORD_TIMEOUT_MS);
      let lastStep: string | undefined;

      createInterface({ input: child.stdout }).on('line', (text) => {
        const line = parseKeeperLine(text);
        if (line === undefined) return;
        if (line.type === 'failed') return fail(line.reason);
        clearTimeout(timer);
        if (line.type === 'ready') return resolve(line.data);
        timer = waitFor(line.text, line.withinMs);
        if (line.text !== lastStep) options.onStep?.(line.text);
        lastStep = line.text;
      });
      child.on('error', (error) => fail(error.message));
      child.on('exit', () => fail(`its keeper process ended ${lastWords()}`.trim()));
      options.signal?.addEventListener('abort', () => fail('interrupted'), { once: true });
    });
    // A caller that forgets stop() may still end: the end of our process is the keeper's cue.
    unref(child);
    return { data, gone: () => gone, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function stopper(child: ChildProcess): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exited = once(child, 'exit');
    child.stdin?.end();
    const timeout = new AbortController();
    await Promise.race([
      exited,
      sleep(STOP_TIMEOUT_MS, undefined, { signal: timeout.signal }).then(() =>
        child.kill('SIGKILL'),
      ),
    ]);
    timeout.abort();
  };
  return () => {
    stopped ??= stop();
    return stopped;
  };
}

function unref(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    // Sockets here, though the types promise plain streams only.
    if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}

function collectLastWords(stream: Readable): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-2_000);
  });
  return () => text.trim().split('\n').slice(-3).join(' ');
}
