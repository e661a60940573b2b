import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { InvocationError } from './errors.ts';
import { endLine, type FunctionMessage, type ParentMessage } from './function-protocol.ts';

export interface FunctionOptions {
  readonly name: string;
  /** The bundled handler, an .mjs file that exports `handler`. */
  readonly bundleFile: string;
  /** Heap of the process, as Lambda's memory setting would bound it. */
  readonly memoryMiB: number;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  /** Every line the function writes to stdout or stderr, in order per stream. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  /** Stops the process (SIGSTOP) between invocations, as Lambda freezes a sandbox. Default false. */
  readonly freeze?: boolean;
}

interface Sandbox {
  readonly child: ChildProcess;
  /** Resolves when the process is gone and its output has been read. */
  readonly gone: Promise<string>;
  readonly seenEnds: Set<string>;
  onMessage: (message: FunctionMessage) => void;
  onEnd: () => void;
}

const RUNTIME = fileURLToPath(new URL('./function-runtime.ts', import.meta.url));

/** Lambda gives the import of a function 10 seconds. */
const INIT_LIMIT_MS = 10_000;

/** How long output may still be read after a process ended; a grandchild may hold the pipe open. */
const DRAIN_LIMIT_MS = 1_000;

/**
 * A function in a process of its own, like a Lambda sandbox: started when first invoked, kept for
 * the next invocation, killed when its timeout passes, replaced after it died. One invocation at a
 * time; the caller sees to that, as the event source mapping does.
 */
export class FunctionProcess {
  readonly #options: FunctionOptions;
  #bundleFile: string;
  #sandbox: Sandbox | undefined;
  #busy = false;
  #stopped = false;
  #starts = 0;

  constructor(options: FunctionOptions) {
    this.#options = options;
    this.#bundleFile = options.bundleFile;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Processes started so far: one more than the deaths it came back from. */
  get starts(): number {
    return this.#starts;
  }

  get pid(): number | undefined {
    return this.#sandbox?.child.pid;
  }

  /**
   * Runs the handler on one event and gives what it returned.
   * Rejects with an {@link InvocationError} whose code says how it failed.
   */
  async invoke(event: string): Promise<unknown> {
    if (this.#stopped) throw new InvocationError('STOPPED', `${this.#options.name} was stopped`);
    this.#busy = true;
    try {
      const sandbox = this.#sandbox ?? (await this.#start());
      if (this.#options.freeze) sandbox.child.kill('SIGCONT');
      const result = await this.#run(sandbox, event);
      if (this.#options.freeze) sandbox.child.kill('SIGSTOP');
      return result;
    } finally {
      this.#busy = false;
    }
  }

  /** Kills the process at once, as an out-of-memory kill would; the next invocation starts a new one. */
  kill(): boolean {
    return this.#sandbox !== undefined && this.#discard(this.#sandbox);
  }

  /** Uses another bundle from the next invocation on. */
  replace(bundleFile: string): void {
    this.#bundleFile = bundleFile;
    if (!this.#busy) this.kill();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const sandbox = this.#sandbox;
    this.kill();
    await sandbox?.gone;
  }

  /** A process that was killed is never used again, even before it is seen to be gone. */
  #discard(sandbox: Sandbox): boolean {
    if (this.#sandbox === sandbox) this.#sandbox = undefined;
    return sandbox.child.kill('SIGKILL');
  }

  async #start(): Promise<Sandbox> {
    const { name, memoryMiB } = this.#options;
    const child = fork(RUNTIME, [this.#bundleFile, name, String(memoryMiB)], {
      env: { ...process.env, AWS_LAMBDA_FUNCTION_NAME: name, ...this.#options.env },
      execArgv: [`--max-old-space-size=${memoryMiB}`, '--enable-source-maps', '--no-warnings'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#starts++;
    const sandbox: Sandbox = {
      child,
      gone: ended(child),
      seenEnds: new Set(),
      onMessage: () => {},
      onEnd: () => {},
    };
    this.#readLines(sandbox, 'stdout');
    this.#readLines(sandbox, 'stderr');
    child.on('message', (message: FunctionMessage) => sandbox.onMessage(message));
    this.#sandbox = sandbox;
    void sandbox.gone.then(() => {
      if (this.#sandbox === sandbox) this.#sandbox = undefined;
    });
    await this.#initialised(sandbox);
    return sandbox;
  }

  #initialised(sandbox: Sandbox): Promise<void> {
    const { name } = this.#options;
    return new Promise((resolve, reject) => {
      const fail = (text: string): void => {
        clearTimeout(timer);
        this.#discard(sandbox);
        reject(new InvocationError('INIT_FAILED', `${name} could not start: ${text}`));
      };
      const timer = setTimeout(() => fail(`no handler after ${INIT_LIMIT_MS} ms`), INIT_LIMIT_MS);
      void sandbox.gone.then((how) => fail(`the process ended (${how})`));
      sandbox.onMessage = (message) => {
        if (message.kind === 'init-failed') fail(message.error);
        if (message.kind !== 'ready') return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #run(sandbox: Sandbox, event: string): Promise<unknown> {
    const { name, timeoutMs } = this.#options;
    const requestId = randomUUID();
    const deadlineAtMs = Date.now() + timeoutMs;
    return new Promise((resolve, reject) => {
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        this.#discard(sandbox);
      }, timeoutMs);
      void sandbox.gone.then((how) => {
        clearTimeout(timer);
        const [code, text] = timedOut
          ? (['TIMEOUT', `was killed at its timeout of ${timeoutMs} ms`] as const)
          : (['DIED', `died in mid-invocation (${how})`] as const);
        reject(new InvocationError(code, `${name} ${text}`));
      });
      sandbox.onMessage = (message) => {
        if (message.kind !== 'done' && message.kind !== 'failed') return;
        if (message.requestId !== requestId) return;
        clearTimeout(timer);
        // The log is read to its end first: what was logged has happened when the promise settles.
        sandbox.onEnd = () => {
          if (!sandbox.seenEnds.delete(requestId)) return;
          if (message.kind === 'done') resolve(message.result);
          else reject(new InvocationError('FUNCTION_ERROR', `${name} failed: ${message.error}`));
        };
        sandbox.onEnd();
      };
      const request: ParentMessage = { requestId, event, deadlineAtMs };
      // A process that died just now refuses the message; its end settles the promise.
      sandbox.child.send(request, () => {});
    });
  }

  #readLines(sandbox: Sandbox, stream: 'stdout' | 'stderr'): void {
    const input = sandbox.child[stream];
    if (input === null) return;
    createInterface({ input }).on('line', (line) => {
      if (stream === 'stdout' && line.startsWith(endLine(''))) {
        sandbox.seenEnds.add(line.slice(endLine('').length));
        sandbox.onEnd();
      } else {
        this.#options.onLine?.(line, stream);
      }
    });
  }
}

/** Resolves with how the process ended, after its output was read. */
function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      const timer = setTimeout(() => resolve(how), DRAIN_LIMIT_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve(how);
      });
    });
  });
}
