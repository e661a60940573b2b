import { setTimeout as sleep } from 'node:timers/promises';
import { FunctionProcess } from '../function-process.ts';
import { pause } from '../pause.ts';
import { ReplayBook } from './replay-book.ts';

export interface ScheduleOptions {
  readonly bundleFile: string;
  readonly env: Readonly<Record<string, string>>;
  /** Pause between two looks. */
  readonly everyMs: number;
  readonly onTrouble: (text: string) => void;
  /** A line for each message it moved, and what else it printed, its metrics excepted. */
  readonly onOutput?: (line: string) => void;
}

/** Guards that let a message through by themselves, sooner or later, when nobody does anything. */
const PASSING: readonly string[] = ['min-age', 'work-depth', 'in-progress', 'batch', 'rate'];

/** The first may have begun before the flows came to rest, or met a lock that was just being given back. */
const CALM_LOOKS = 2;
/** So many looks that failed in a row are waited for no longer. */
const FAILED_LOOKS = 3;
const MEMORY_MIB = 256;
const TIMEOUT_MS = 5 * 60_000;
const POLL_MS = 100;

/** EventBridge's part in a local run: calls the schedule's function again and again, one look at a time. */
export class ReplaySchedule {
  readonly book = new ReplayBook();
  readonly #options: ScheduleOptions;
  readonly #function: FunctionProcess;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #held = 0;
  #looking = false;
  #calm = 0;
  #failed = 0;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#function = new FunctionProcess({
      name: 'replay-schedule',
      bundleFile: options.bundleFile,
      memoryMiB: MEMORY_MIB,
      timeoutMs: TIMEOUT_MS,
      env: options.env,
      onLine: (line) => {
        const moved = this.book.read(line);
        if (moved !== undefined) options.onOutput?.(`${moved.flow} ${moved.messageId} replayed`);
        else if (!line.startsWith('{')) options.onOutput?.(line);
      },
    });
  }

  /** Whether it looks just now, and may hold what is parked. */
  get looking(): boolean {
    return this.#looking;
  }

  start(): void {
    this.#loop = this.#run();
  }

  replace(bundleFile: string): void {
    this.#function.replace(bundleFile);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#function.stop();
    await this.#loop;
  }

  /**
   * Resolves when replay has nothing to take that time alone would let it take; to true when it moved
   * something meanwhile, so that the flows have work again.
   */
  async calm(signal: AbortSignal): Promise<boolean> {
    this.#calm = 0;
    const before = this.book.movedCount;
    while (this.#calm < CALM_LOOKS && this.#failed < FAILED_LOOKS) await pause(POLL_MS, signal);
    return this.book.movedCount > before;
  }

  /** Does something while no look is under way. */
  async between<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#held++;
    try {
      while (this.#looking) await pause(POLL_MS, signal);
      return await work();
    } finally {
      this.#held--;
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(this.#options.everyMs, undefined, { signal }).catch(() => {});
      if (signal.aborted || this.#held > 0) continue;
      this.#looking = true;
      await this.#look().finally(() => {
        this.#looking = false;
      });
    }
  }

  async #look(): Promise<void> {
    try {
      await this.#function.invoke('{}');
      this.#failed = 0;
      const { moved, guards } = this.book.endLook();
      const isCalm = moved === 0 && !PASSING.some((guard) => guards.has(guard));
      this.#calm = isCalm ? this.#calm + 1 : 0;
    } catch (error) {
      this.book.endLook();
      this.#calm = 0;
      this.#failed++;
      if (!this.#stop.signal.aborted) this.#options.onTrouble(firstLine(error));
    }
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
