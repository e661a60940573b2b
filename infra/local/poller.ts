import { type Channel, type ChannelModel, type ConsumeMessage, connect } from 'amqplib';
import { type BatchLimits, decideBatch, PAYLOAD_LIMIT_BYTES } from './batch.ts';
import { type HandBack, handBack } from './hand-back.ts';
import { type EventRecordText, toEvent, toEventRecord } from './to-event.ts';

export interface PollerOptions {
  readonly url: string;
  readonly vhost: string;
  readonly queue: string;
  readonly batch: { readonly size: number; readonly windowMs: number };
  /** Runs the function. A rejection hands the whole batch back. */
  readonly invoke: (event: string, recordCount: number) => Promise<unknown>;
  readonly handBack: HandBack;
  /** Records held unacknowledged at most. Default: two batches, at least 10. */
  readonly prefetch?: number;
  /** Pause after a failed invocation; doubles up to 20 times itself. Default 50 ms. */
  readonly backoffMs?: number;
  readonly payloadBytes?: number;
  /** Told of what a person would want to know: a record dropped, a connection lost. */
  readonly onTrouble?: (text: string) => void;
}

export interface PollerState {
  /** Records held unacknowledged, those of a running invocation included. */
  readonly held: number;
  readonly invoking: boolean;
  readonly invocations: number;
  readonly failures: number;
  /** Records over the payload limit, dropped as Lambda drops them. */
  readonly dropped: number;
}

/** What becomes of a mapping that is switched on or off, in Lambda's words. */
export type MappingState = 'Enabled' | 'Enabling' | 'Disabled' | 'Disabling';

interface HeldRecord extends EventRecordText {
  readonly delivery: ConsumeMessage;
  readonly channel: Channel;
  readonly arrivedAtMs: number;
}

/** AMQP's prefetch has 16 bits. */
const PREFETCH_LIMIT = 65_535;

/**
 * Reads one queue the way Lambda's event source mapping does: one invocation at a time, a batch
 * closed by size, window or payload, everything acknowledged on success, everything handed back on
 * any failure. Has a connection of its own and comes back when it is lost.
 */
export class Poller {
  readonly queue: string;
  readonly #options: PollerOptions;
  readonly #limits: BatchLimits;
  #connection: ChannelModel | undefined;
  #channel: Channel | undefined;
  #consumerTag = '';
  #enabled = true;
  #held: HeldRecord[] = [];
  #invoking: readonly HeldRecord[] = [];
  #wake: () => void = () => {};
  #stopped = false;
  #failuresInARow = 0;
  #invocations = 0;
  #failures = 0;
  #dropped = 0;
  #loop: Promise<void> | undefined;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.queue = options.queue;
    this.#limits = {
      ...options.batch,
      payloadBytes: options.payloadBytes ?? PAYLOAD_LIMIT_BYTES,
    };
  }

  get state(): PollerState {
    return {
      held: this.#held.length + this.#invoking.length,
      invoking: this.#invoking.length > 0,
      invocations: this.#invocations,
      failures: this.#failures,
      dropped: this.#dropped,
    };
  }

  /** Connects and starts to read; rejects when the queue can't be read at all. */
  async start(): Promise<void> {
    await this.#open();
    this.#loop = this.#run();
  }

  get mappingState(): MappingState {
    const reads = this.#channel !== undefined;
    if (this.#enabled) return reads ? 'Enabled' : 'Enabling';
    return reads || this.#invoking.length > 0 ? 'Disabling' : 'Disabled';
  }

  /**
   * Switched off, it lets a running invocation end, gives back what else it holds, first first, and reads
   * no more until it is switched on.
   */
  setEnabled(enabled: boolean): void {
    if (this.#enabled === enabled) return;
    this.#enabled = enabled;
    this.#wake();
  }

  /** Lets a running invocation end, then gives back what is held. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#loop;
    await this.#connection?.close().catch(() => {});
  }

  async #open(): Promise<void> {
    if (this.#connection === undefined) {
      const connection = await connect(this.#options.url, {
        clientProperties: { connection_name: `layover poller ${this.queue}` },
      });
      connection.on('error', (error) => this.#trouble(`connection: ${error.message}`));
      connection.on('close', () => {
        if (this.#connection === connection) this.#connection = undefined;
      });
      this.#connection = connection;
    }
    const channel = await this.#connection.createChannel();
    channel.on('error', (error) => this.#trouble(`channel: ${error.message}`));
    channel.on('close', () => this.#lost(channel));
    const wanted = this.#options.prefetch ?? Math.max(10, 2 * this.#limits.size);
    await channel.prefetch(Math.min(wanted, PREFETCH_LIMIT));
    const { consumerTag } = await channel.consume(this.queue, (delivery) => {
      if (delivery === null) {
        this.#trouble('the broker cancelled the consumer');
        channel.close().catch(() => {});
      } else {
        this.#held.push({
          ...toEventRecord(delivery),
          delivery,
          channel,
          arrivedAtMs: Date.now(),
        });
        this.#wake();
      }
    });
    this.#consumerTag = consumerTag;
    this.#channel = channel;
  }

  /** Whatever was held on a closed channel is the broker's again. */
  #lost(channel: Channel): void {
    this.#held = this.#held.filter((record) => record.channel !== channel);
    if (this.#channel === channel) this.#channel = undefined;
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      if (!this.#enabled) {
        await this.#standStill();
        continue;
      }
      if (this.#channel === undefined && !(await this.#reopen())) continue;
      const decision = decideBatch(this.#held, this.#limits, Date.now());
      switch (decision.kind) {
        case 'invoke':
          await this.#invoke(this.#held.splice(0, decision.count));
          break;
        case 'drop':
          this.#drop();
          break;
        case 'wait':
          await this.#pause(decision.forMs);
          break;
        case 'empty':
          await this.#pause(undefined);
          break;
      }
    }
  }

  async #standStill(): Promise<void> {
    const channel = this.#channel;
    if (channel === undefined) return this.#pause(undefined);
    try {
      // Cancelled first, so that nothing arrives between the last one given back and the end.
      await channel.cancel(this.#consumerTag);
      for (const { delivery } of this.#held) channel.nack(delivery, false, true);
      await channel.close();
    } catch {
      // The channel was lost meanwhile: the broker has everything back already.
    }
    this.#lost(channel);
  }

  async #reopen(): Promise<boolean> {
    try {
      await this.#open();
      return true;
    } catch (error) {
      this.#trouble(`cannot read the queue: ${error instanceof Error ? error.message : error}`);
      this.#failuresInARow++;
      await this.#backOff();
      return false;
    }
  }

  async #invoke(batch: readonly HeldRecord[]): Promise<void> {
    this.#invoking = batch;
    this.#invocations++;
    try {
      await this.#options.invoke(toEvent(this.queue, this.#options.vhost, batch), batch.length);
      this.#failuresInARow = 0;
      for (const record of batch) acknowledge(record);
      this.#invoking = [];
    } catch {
      this.#failures++;
      this.#failuresInARow++;
      await this.#giveBack(batch);
      this.#invoking = [];
      await this.#backOff();
    }
  }

  async #giveBack(batch: readonly HeldRecord[]): Promise<void> {
    const channel = batch[0]?.channel;
    if (channel === undefined || channel !== this.#channel) return;
    try {
      const deliveries = batch.map((record) => record.delivery);
      const after = await handBack(this.#options.handBack, channel, deliveries);
      if (after === 'kept') this.#held.unshift(...batch);
      if (after === 'reopen') this.#lost(channel);
    } catch (error) {
      // The channel was lost meanwhile: the broker has the records back already.
      this.#trouble(`hand-back: ${error instanceof Error ? error.message : error}`);
      this.#lost(channel);
    }
  }

  #drop(): void {
    const [record] = this.#held.splice(0, 1);
    if (record === undefined) return;
    this.#dropped++;
    this.#trouble(
      `a record of ${record.bytes} bytes is over the payload limit: dropped, as Lambda does`,
    );
    acknowledge(record);
  }

  async #backOff(): Promise<void> {
    const base = this.#options.backoffMs ?? 50;
    const until = Date.now() + Math.min(base * 2 ** (this.#failuresInARow - 1), base * 20);
    while (!this.#stopped && Date.now() < until) await this.#pause(until - Date.now());
  }

  #pause(forMs: number | undefined): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = forMs === undefined ? undefined : setTimeout(resolve, forMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #trouble(text: string): void {
    if (!this.#stopped) this.#options.onTrouble?.(`${this.queue}: ${text}`);
  }
}

function acknowledge(record: HeldRecord): void {
  try {
    record.channel.ack(record.delivery);
  } catch {
    // A channel that closed under the invocation has given the record back; it comes again.
  }
}
