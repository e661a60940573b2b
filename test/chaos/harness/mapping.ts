import { InvocationError } from '../../../infra/local/errors.ts';
import { FunctionProcess } from '../../../infra/local/function-process.ts';
import type { HandBack } from '../../../infra/local/hand-back.ts';
import { Poller } from '../../../infra/local/poller.ts';
import type { Place } from './faults.ts';

export interface MappingOptions {
  readonly place: Place;
  readonly flow: string;
  readonly queue: string;
  readonly brokerUrl: string;
  readonly vhost: string;
  readonly batch: { readonly size: number; readonly windowMs: number };
  readonly handBack: HandBack;
  readonly bundleFile: string;
  readonly memoryMiB: number;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
  /** The running invocation's process is gone. */
  readonly onDeath: (place: Place) => void;
  readonly onLine: (line: string) => void;
}

/** One invocation as the event source mapping saw it. */
export interface Invoked {
  readonly place: Place;
  readonly ids: readonly string[];
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Undefined when it returned; else how it failed. */
  readonly failed?: string;
}

/** A poller and its function, as one event source mapping; keeps a list of what it invoked. */
export class Mapping {
  readonly invoked: Invoked[] = [];
  readonly function: FunctionProcess;
  readonly poller: Poller;
  readonly #options: MappingOptions;

  constructor(options: MappingOptions) {
    this.#options = options;
    const { place, env, onLine } = options;
    this.function = new FunctionProcess({
      name: options.flow,
      bundleFile: options.bundleFile,
      memoryMiB: options.memoryMiB,
      timeoutMs: options.timeoutMs,
      env: { ...env, CHAOS_PLACE: place },
      onLine: (line) => onLine(`${place}: ${line}`),
    });
    this.poller = new Poller({
      url: options.brokerUrl,
      vhost: options.vhost,
      queue: options.queue,
      batch: options.batch,
      handBack: options.handBack,
      // Fast, so that many hand-backs fit a short test.
      backoffMs: 20,
      onTrouble: (text) => onLine(`${place}: poller: ${text}`),
      invoke: (event) => this.#invoke(event),
    });
  }

  /** The function can't start, as after a bad deployment; the running process is ended when idle. */
  break(): void {
    this.function.replace('/nowhere/broken-deployment.mjs');
  }

  repair(): void {
    this.function.replace(this.#options.bundleFile);
  }

  async stop(): Promise<void> {
    const stopped = this.poller.stop();
    await this.function.stop();
    await stopped;
  }

  async #invoke(event: string): Promise<unknown> {
    const { place, onDeath, onLine } = this.#options;
    const ids = [...event.matchAll(/"messageId":"([^"]*)"/g)].map(([, id]) => id ?? '');
    const startedAtMs = Date.now();
    const note = (failed?: string) =>
      this.invoked.push({
        place,
        ids,
        startedAtMs,
        endedAtMs: Date.now(),
        ...(failed === undefined ? {} : { failed }),
      });
    try {
      const result = await this.function.invoke(event);
      note();
      return result;
    } catch (error) {
      const code = error instanceof InvocationError ? error.code : String(error);
      note(code);
      if (code === 'DIED' || code === 'TIMEOUT') onDeath(place);
      onLine(`${place}: invocation of ${ids.join(' ')} failed: ${String(error).slice(0, 500)}`);
      throw error;
    }
  }
}
