import { readyCounts, totalCounts } from './books/counts.ts';
import { managementOf } from './books/management.ts';
import { scanParking } from './books/parking-scan.ts';
import { type Books, reckon } from './books/reckon.ts';
import { booksAtRest } from './books/rest.ts';
import { sumBooks } from './books/sum.ts';
import type { RunningBroker } from './broker/types.ts';
import { runKiller } from './killer.ts';
import { publishPlan } from './publish-plan.ts';
import type { FlowPlan } from './scenarios/types.ts';
import type { Stage } from './stage.ts';
import { downstreamSnapshot, flowSnapshot, type Snapshot } from './terminal/snapshot.ts';

export interface RunOptions {
  readonly broker: RunningBroker;
  readonly plans: ReadonlyMap<string, FlowPlan>;
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
  readonly #published = new Map<string, string[]>();
  #startedAtMs = Date.now();

  constructor(stage: Stage, options: RunOptions) {
    this.#stage = stage;
    this.#options = options;
    for (const flow of options.plans.keys()) this.#published.set(flow, []);
  }

  async run(): Promise<RunResult> {
    const { connection } = this.#stage;
    const { broker, plans, signal } = this.#options;
    const management = managementOf(broker.url, broker.managementUrl);
    const moving = this.#queues((role) => role !== 'parked');
    this.#startedAtMs = Date.now();
    const killing = this.#startKiller();
    try {
      await Promise.all([...plans].map(([flow, plan]) => this.#publish(flow, plan)));
      let perFlow: ReadonlyMap<string, Books> = new Map();
      const all = await booksAtRest({
        ready: async () =>
          sum([...(await readyCounts(connection, moving)).values()].map((count) => count.messages)),
        totals: async () => this.#totalsByFlow(await totalCounts(management, moving), moving),
        busy: () =>
          this.#stage.actors.some(({ runner }) => runner.state.held > 0 || runner.state.invoking),
        reckon: async (inFlight) => {
          perFlow = await this.#reckon(inFlight);
          return sumBooks(perFlow.values());
        },
        onHidden: (missing) =>
          this.#options.print(
            `${missing} messages are in no queue that can be counted; a wait queue may hold them back for some 3 minutes`,
          ),
        signal,
      });
      const last = Date.now();
      return { perFlow, all, elapsedMs: last - this.#startedAtMs };
    } finally {
      killing.abort();
    }
  }

  /** How things stand right now, for the progress display. */
  async snapshot(): Promise<Snapshot> {
    const { connection, actors, topology, downstreams } = this.#stage;
    const counts = await readyCounts(
      connection,
      this.#queues(() => true),
    );
    return {
      elapsedMs: Date.now() - this.#startedAtMs,
      published: sum([...this.#published.values()].map(({ length }) => length)),
      flows: actors.map((actor) =>
        flowSnapshot({ ...actor, topology }, (queue) => counts.get(queue)?.messages ?? 0),
      ),
      downstreams: [...downstreams.byFlow.values()].map(downstreamSnapshot),
    };
  }

  #queues(wanted: (role: string) => boolean): readonly string[] {
    return this.#stage.topology.queues.filter(({ role }) => wanted(role)).map(({ name }) => name);
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

  /** Undefined when a single queue's figure is missing: unknown is not zero. */
  #totalsByFlow(
    totals: ReadonlyMap<string, number>,
    queues: readonly string[],
  ): ReadonlyMap<string, number> | undefined {
    if (totals.size < queues.length) return undefined;
    const byFlow = new Map<string, number>();
    for (const { name, flow } of this.#stage.topology.queues) {
      byFlow.set(flow, (byFlow.get(flow) ?? 0) + (totals.get(name) ?? 0));
    }
    return byFlow;
  }

  /** Reads the parking queues and everything else that was seen, flow by flow. */
  async #reckon(inFlight: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, Books>> {
    const { connection, topology, downstreams, actors } = this.#stage;
    const books = new Map<string, Books>();
    for (const { flow, runner } of actors) {
      const plan = this.#options.plans.get(flow.name);
      if (plan === undefined) continue;
      const parking = topology.queues.filter(
        (queue) => queue.flow === flow.name && queue.role === 'parked',
      );
      const parked = await Promise.all(parking.map(({ name }) => scanParking(connection, name)));
      const { logBook } = runner;
      books.set(
        flow.name,
        reckon({
          published: this.#published.get(flow.name) ?? [],
          messageIdByWorkId: new Map(
            plan.messages.map((message) => [message.workId, message.messageId]),
          ),
          ledger: downstreams.byFlow.get(flow.name)?.ledger.entries ?? [],
          parked: parked.flat(),
          discarded: logBook.idsOf('discard'),
          duplicates: [...logBook.idsOf('duplicate'), ...logBook.idsOf('acknowledge')],
          inFlight: inFlight.get(flow.name) ?? 0,
          failedInvocations: runner.state.failures,
        }),
      );
    }
    return books;
  }

  #startKiller(): AbortController {
    const controller = new AbortController();
    const { plans, kill, print, signal } = this.#options;
    const messages = sum([...plans.values()].map((plan) => plan.messages.length));
    void runKiller({
      times: kill,
      messages,
      accepted: () =>
        sum([...this.#stage.downstreams.byFlow.values()].map(({ ledger }) => ledger.accepted)),
      kill: () => this.#stage.actors.some(({ runner }) => runner.killBusy()),
      onKill: (number) => print(`killed the function in mid-run (${number} of ${kill})`),
      signal: AbortSignal.any([controller.signal, signal]),
    }).catch(() => {});
    return controller;
  }
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
