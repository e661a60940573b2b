import { randomBytes } from 'node:crypto';
import {
  type ChannelModel,
  type ConfirmChannel,
  connect,
  type GetMessage,
  type Options,
} from 'amqplib';
import { onTestFinished } from 'vitest';
import { buildTopology } from '../../functions/topology/model.ts';
import type { Topology, TopologyInput } from '../../functions/topology/types.ts';
import { brokerUrl } from './broker.ts';
import { until } from './until.ts';

/** A queue argument may be anything here, also what Layover itself would refuse. */
type Arguments = Readonly<Record<string, unknown>>;

/**
 * A corner of the real broker for one test: names nobody else has, and everything made under them is
 * removed when the test ends, however it ends.
 */
export class Scratch {
  readonly connection: ChannelModel;
  readonly channel: ConfirmChannel;
  readonly #prefix = `t-${randomBytes(4).toString('hex')}`;
  readonly #queues = new Set<string>();
  readonly #exchanges = new Set<string>();

  private constructor(connection: ChannelModel, channel: ConfirmChannel) {
    this.connection = connection;
    this.channel = channel;
  }

  static async open(): Promise<Scratch> {
    const connection = await connect(brokerUrl(), { noDelay: true });
    connection.on('error', () => undefined);
    const channel = await connection.createConfirmChannel();
    channel.on('error', () => undefined);
    const scratch = new Scratch(connection, channel);
    onTestFinished(() => scratch.#remove());
    return scratch;
  }

  /** A name of this test's own, for a queue that is removed afterwards. */
  name(base: string): string {
    const name = `${this.#prefix}.${base}`;
    this.#queues.add(name);
    return name;
  }

  /** A quorum queue. */
  async queue(base: string, args: Arguments = {}): Promise<string> {
    const name = this.name(base);
    await this.channel.assertQueue(name, { arguments: { 'x-queue-type': 'quorum', ...args } });
    return name;
  }

  async exchange(base: string, type: 'direct' | 'topic' | 'fanout' | 'headers'): Promise<string> {
    const name = this.exchangeName(base);
    await this.channel.assertExchange(name, type);
    return name;
  }

  exchangeName(base: string): string {
    const name = `${this.#prefix}.${base}`;
    this.#exchanges.add(name);
    return name;
  }

  /** The topology of flows whose queues are named here; it is removed afterwards, not made yet. */
  topology(
    ...flows: readonly (Partial<TopologyInput> & { queue: string; delaysMs: number[] })[]
  ): Topology {
    const topology = buildTopology(
      flows.map(({ delaysMs, ...flow }) => ({
        name: flow.queue,
        queueMode: 'declare' as const,
        bindings: [],
        schedule: { delaysMs, jitter: { lanes: 1, spread: 0 } },
        ...flow,
      })),
      { isolatedWaitMs: 300 },
    );
    for (const { name, declare } of topology.queues) if (declare) this.#queues.add(name);
    for (const { name } of topology.exchanges) this.#exchanges.add(name);
    return topology;
  }

  /** A channel that may break without breaking the test's own. */
  async sideChannel(): Promise<ConfirmChannel> {
    const channel = await this.connection.createConfirmChannel();
    channel.on('error', () => undefined);
    return channel;
  }

  /** Publishes and waits for the confirm. */
  async put(queue: string, body: string, options: Options.Publish = {}): Promise<void> {
    this.channel.sendToQueue(queue, Buffer.from(body), { persistent: true, ...options });
    await this.channel.waitForConfirms();
  }

  /** Waits for the next message; it stays unacknowledged. */
  take(queue: string, timeoutMs = 10_000): Promise<GetMessage> {
    return until(`a message in ${queue}`, () => this.channel.get(queue), { timeoutMs });
  }

  /** Takes and acknowledges `count` messages and gives their bodies in order. */
  async drain(queue: string, count: number, timeoutMs = 10_000): Promise<string[]> {
    const bodies: string[] = [];
    while (bodies.length < count) {
      const message = await this.take(queue, timeoutMs);
      this.channel.ack(message);
      bodies.push(message.content.toString());
    }
    return bodies;
  }

  /** Messages ready in a queue. */
  async ready(queue: string): Promise<number> {
    return (await this.channel.checkQueue(queue)).messageCount;
  }

  /** Whether a queue exists. */
  async exists(queue: string): Promise<boolean> {
    const channel = await this.sideChannel();
    return channel.checkQueue(queue).then(
      () => true,
      () => false,
    );
  }

  async #remove(): Promise<void> {
    const cleaner = await connect(brokerUrl());
    const channel = await cleaner.createChannel();
    for (const name of this.#queues) await channel.deleteQueue(name);
    for (const name of this.#exchanges) await channel.deleteExchange(name);
    await cleaner.close();
    await this.connection.close().catch(() => undefined);
  }
}
