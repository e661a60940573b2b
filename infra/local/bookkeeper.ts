import type { ChannelModel } from 'amqplib';
import { readyCounts, totalCounts } from './books/counts.ts';
import type { Management } from './books/management.ts';
import { scanParking } from './books/parking-scan.ts';
import { type Books, reckon } from './books/reckon.ts';
import type { FlowPlan } from './scenarios/types.ts';
import type { Stage } from './stage.ts';

/** Looks at a stage from outside: counts its queues, reads its parking queues, balances its books. */
export class Bookkeeper {
  readonly #stage: Stage;
  readonly #connection: ChannelModel;
  readonly #management: Management | undefined;
  /** Every queue that is not a parking queue. */
  readonly #moving: readonly string[];
  readonly #lastParked = new Map<string, number>();
  #reading = false;

  constructor(stage: Stage, management: Management | undefined) {
    this.#stage = stage;
    this.#connection = stage.connection;
    this.#management = management;
    this.#moving = this.#queues((role) => role !== 'parked');
  }

  /** Ready messages outside the parking queues. */
  async ready(): Promise<number> {
    const counts = await readyCounts(this.#connection, this.#moving);
    return [...counts.values()].reduce((sum, { messages }) => sum + messages, 0);
  }

  /** Whether a poller holds a message or a function runs. */
  busy(): boolean {
    return this.#stage.actors.some(({ runner }) => runner.state.held > 0 || runner.state.invoking);
  }

  /**
   * Messages in any state outside the parking queues, by flow. Undefined when a single queue's figure
   * is missing: unknown is not zero.
   */
  async totals(): Promise<ReadonlyMap<string, number> | undefined> {
    const totals = await totalCounts(this.#management, this.#moving);
    if (totals.size < this.#moving.length) return undefined;
    const byFlow = new Map<string, number>();
    for (const { name, flow } of this.#stage.topology.queues) {
      byFlow.set(flow, (byFlow.get(flow) ?? 0) + (totals.get(name) ?? 0));
    }
    return byFlow;
  }

  /** Ready messages of every queue, for the display. */
  async depths(): Promise<ReadonlyMap<string, number>> {
    const counts = await readyCounts(
      this.#connection,
      this.#queues(() => true),
    );
    const depths = new Map([...counts].map(([queue, { messages }]) => [queue, messages]));
    // While a parking queue is being read its messages are not ready; they have not gone anywhere.
    const held = this.#reading || this.#stage.schedule?.looking === true;
    for (const queue of this.#queues((role) => role === 'parked')) {
      const ready = depths.get(queue) ?? 0;
      const parked = held ? Math.max(ready, this.#lastParked.get(queue) ?? 0) : ready;
      this.#lastParked.set(queue, parked);
      depths.set(queue, parked);
    }
    return depths;
  }

  /** Balances the books of each planned flow from everything that was seen of it. */
  async reckon(
    plans: ReadonlyMap<string, FlowPlan>,
    published: ReadonlyMap<string, readonly string[]>,
    inFlight: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, Books>> {
    const books = new Map<string, Books>();
    for (const { flow, runner } of this.#stage.actors) {
      const plan = plans.get(flow.name);
      if (plan === undefined) continue;
      const parked: Awaited<ReturnType<typeof scanParking>>[] = [];
      for (const queue of this.#queues((role, owner) => role === 'parked' && owner === flow.name)) {
        parked.push(await this.#read(queue));
      }
      const { logBook, state } = runner;
      books.set(
        flow.name,
        reckon({
          published: published.get(flow.name) ?? [],
          messageIdByWorkId: new Map(plan.messages.map((one) => [one.workId, one.messageId])),
          ledger: this.#stage.downstreams.byFlow.get(flow.name)?.ledger.entries ?? [],
          parked: parked.flat(),
          discarded: logBook.idsOf('discard'),
          duplicates: [...logBook.idsOf('duplicate'), ...logBook.idsOf('acknowledge')],
          replayed: this.#stage.schedule?.book.movedOf(flow.name) ?? new Set(),
          inFlight: inFlight.get(flow.name) ?? 0,
          failedInvocations: state.failures,
        }),
      );
    }
    return books;
  }

  async #read(queue: string): ReturnType<typeof scanParking> {
    this.#reading = true;
    try {
      return await scanParking(this.#connection, queue);
    } finally {
      this.#reading = false;
    }
  }

  #queues(wanted: (role: string, flow: string) => boolean): readonly string[] {
    return this.#stage.topology.queues
      .filter(({ role, flow }) => wanted(role, flow))
      .map(({ name }) => name);
  }
}
