import { Bookkeeper } from './bookkeeper.ts';
import { managementOf } from './books/management.ts';
import type { Books } from './books/reckon.ts';
import { booksAtRest } from './books/rest.ts';
import { sumBooks } from './books/sum.ts';
import type { RunningBroker } from './broker/types.ts';
import { runKiller } from './killer.ts';
import { publishPlan } from './publish-plan.ts';
import type { FlowPlan } from './scenarios/types.ts';
import type { Stage } from './stage.ts';
import { downstreamSnapshot, flowSnapshot, type Snapshot } from './terminal/snapshot.ts';

export interface RunOptions {
  readonly broker: Pick<RunningBroker, 'url' | 'managementUrl'>;
  readonly plans: ReadonlyMap<string, FlowPlan>;
  /** How often the function is killed in mid-run. */
  readonly kill: number;
  /** Over how long the messages are published. */
  readonly spreadMs: number;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface RunResult {
  readonly perFlow: ReadonlyMap<string, Books>;
  readonly all: Books;
  /** From the first publish to rest. */
  readonly elapsedMs: number;
}

/** One scenario on a stage that stands: publishes, waits for rest, keeps the books. */
export class LocalRun {
  readonly #stage: Stage;
  readonly #options: RunOptions;
  readonly #bookkeeper: Bookkeeper;
  readonly #published = new Map<string, string[]>();
  #startedAtMs = Date.now();

  constructor(stage: Stage, options: RunOptions) {
    const { url, managementUrl } = options.broker;
    this.#stage = stage;
    this.#options = options;
    this.#bookkeeper = new Bookkeeper(stage, managementOf(url, managementUrl));
    for (const flow of options.plans.keys()) this.#published.set(flow, []);
  }

  async run(): Promise<RunResult> {
    const { plans, print, signal } = this.#options;
    const keeper = this.#bookkeeper;
    const { schedule } = this.#stage;
    this.#startedAtMs = Date.now();
    const killing = this.#startKiller();
    try {
      await Promise.all([...plans].map(([flow, plan]) => this.#publish(flow, plan)));
      let perFlow: ReadonlyMap<string, Books> = new Map();
      const all = await booksAtRest({
        ready: () => keeper.ready(),
        totals: () => keeper.totals(),
        busy: () => keeper.busy(),
        ...(schedule === undefined ? {} : { replayed: () => schedule.calm(signal) }),
        reckon: async (inFlight) => {
          const reckon = () => keeper.reckon(plans, this.#published, inFlight);
          // Nothing is moved while the parking queues are read.
          perFlow = await (schedule?.between(reckon, signal) ?? reckon());
          return sumBooks(perFlow.values());
        },
        onHidden: (missing) =>
          print(
            `${missing} messages are in no queue that can be counted; a wait queue may hold them back for some 3 minutes`,
          ),
        signal,
      });
      return { perFlow, all, elapsedMs: Date.now() - this.#startedAtMs };
    } finally {
      killing.abort();
    }
  }

  /** How things stand right now, for the progress display. */
  async snapshot(): Promise<Snapshot> {
    const { actors, topology, downstreams, schedule } = this.#stage;
    const depths = await this.#bookkeeper.depths();
    return {
      elapsedMs: Date.now() - this.#startedAtMs,
      published: sum([...this.#published.values()].map(({ length }) => length)),
      replayed: schedule?.book.movedCount ?? 0,
      flows: actors.map((actor) =>
        flowSnapshot({ ...actor, topology }, (queue) => depths.get(queue) ?? 0),
      ),
      downstreams: [...downstreams.byFlow.values()].map(downstreamSnapshot),
    };
  }

  #publish(flow: string, plan: FlowPlan): Promise<void> {
    const { spreadMs, signal } = this.#options;
    const published = this.#published.get(flow) ?? [];
    return publishPlan(this.#stage.connection, plan.messages, {
      spreadMs,
      signal,
      onConfirmed: ({ messageId }) => published.push(messageId),
    });
  }

  #startKiller(): AbortController {
    const controller = new AbortController();
    const { plans, kill, print, signal } = this.#options;
    const { actors, downstreams } = this.#stage;
    runKiller({
      times: kill,
      messages: sum([...plans.values()].map(({ messages }) => messages.length)),
      accepted: () => sum([...downstreams.byFlow.values()].map(({ ledger }) => ledger.accepted)),
      kill: () => actors.some(({ runner }) => runner.killBusy()),
      onKill: (number) => print(`killed the function in mid-run (${number} of ${kill})`),
      signal: AbortSignal.any([controller.signal, signal]),
    }).catch(() => {
      // The run ended before the last kill was due.
    });
    return controller;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
