import type { Flow } from '../../functions/policy/types.ts';
import { isolatedQueueName } from '../../functions/topology/names.ts';
import { LogBook, type LoggedVerdict } from './books/log-book.ts';
import { FunctionProcess } from './function-process.ts';
import type { HandBack } from './hand-back.ts';
import { type MappingState, Poller, type PollerState } from './poller.ts';

export interface FlowRunnerOptions {
  readonly flow: Flow;
  readonly bundleFile: string;
  readonly amqpUrl: string;
  readonly vhost: string;
  readonly env: Readonly<Record<string, string>>;
  readonly handBack: HandBack;
  /** One line about something a person would want to know. */
  readonly onTrouble: (text: string) => void;
  /** A log line about one message. */
  readonly onVerdict?: (verdict: LoggedVerdict) => void;
  /** Any other line the function printed, its metrics excepted. */
  readonly onOutput?: (line: string) => void;
}

/**
 * One flow as it runs in AWS: a function, and two event source mappings that feed it, the work queue's
 * in batches and the isolated queue's one message at a time. Each mapping has a process of its own,
 * since Lambda runs concurrent invocations in different sandboxes.
 */
export class FlowRunner {
  readonly flow: Flow;
  readonly logBook = new LogBook();
  readonly #functions: readonly FunctionProcess[];
  readonly #pollers: readonly Poller[];

  constructor(options: FlowRunnerOptions) {
    this.flow = options.flow;
    const { queue, batch } = options.flow;
    const mappings = [
      { queue, batch },
      { queue: isolatedQueueName(queue), batch: { size: 1, windowMs: 0 } },
    ].map((mapping) => this.#mapping(options, mapping));
    this.#functions = mappings.map(({ sandbox }) => sandbox);
    this.#pollers = mappings.map(({ poller }) => poller);
  }

  /** Of both mappings together. */
  get state(): PollerState & { readonly starts: number } {
    const states = this.#pollers.map(({ state }) => state);
    const sum = (read: (state: PollerState) => number) =>
      states.reduce((total, state) => total + read(state), 0);
    return {
      held: sum(({ held }) => held),
      invoking: states.some(({ invoking }) => invoking),
      invocations: sum(({ invocations }) => invocations),
      failures: sum(({ failures }) => failures),
      dropped: sum(({ dropped }) => dropped),
      starts: this.#functions.reduce((total, { starts }) => total + starts, 0),
    };
  }

  async start(): Promise<void> {
    await Promise.all(this.#pollers.map((poller) => poller.start()));
  }

  /** One state per event source mapping, named by the queue it reads. */
  get mappings(): readonly { readonly id: string; readonly state: MappingState }[] {
    return this.#pollers.map(({ queue, mappingState }) => ({ id: queue, state: mappingState }));
  }

  /** Switches both mappings on or off. */
  setEnabled(enabled: boolean): void {
    for (const poller of this.#pollers) poller.setEnabled(enabled);
  }

  /** Kills the work queue's function when it is running just now; false when it is not. */
  killBusy(): boolean {
    const [work] = this.#functions;
    return work?.busy === true && work.kill();
  }

  /** Uses another bundle from the next invocation on. */
  replace(bundleFile: string): void {
    for (const sandbox of this.#functions) sandbox.replace(bundleFile);
  }

  /** Ends the processes at once; a running batch goes back to the broker. */
  async stop(): Promise<void> {
    const stops = this.#pollers.map((poller) => poller.stop());
    await Promise.all(this.#functions.map((sandbox) => sandbox.stop()));
    await Promise.all(stops);
  }

  #mapping(
    options: FlowRunnerOptions,
    { queue, batch }: { queue: string; batch: { size: number; windowMs: number } },
  ) {
    const { flow, onTrouble } = options;
    const sandbox = new FunctionProcess({
      name: flow.name,
      bundleFile: options.bundleFile,
      memoryMiB: flow.lambda.memoryMiB,
      timeoutMs: flow.lambda.timeoutMs,
      env: options.env,
      onLine: (line) => {
        const verdict = this.logBook.read(line);
        if (verdict !== undefined) options.onVerdict?.(verdict);
        else if (!line.startsWith('{"_aws"')) options.onOutput?.(line);
      },
    });
    const poller = new Poller({
      url: options.amqpUrl,
      vhost: options.vhost,
      queue,
      batch,
      handBack: options.handBack,
      onTrouble,
      invoke: async (event, recordCount) => {
        try {
          return await sandbox.invoke(event);
        } catch (error) {
          const reason = error instanceof Error ? firstLine(error.message) : String(error);
          const batch = recordCount === 1 ? 'its message goes' : `its ${recordCount} messages go`;
          onTrouble(`${reason}; ${batch} back (${options.handBack})`);
          throw error;
        }
      },
    });
    return { sandbox, poller };
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
