import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { MessageError } from '../../functions/broker/errors.ts';
import type { ScanEnd, ScanOptions } from '../../functions/broker/parking-reader.ts';
import type { Message, OutgoingCopy } from '../../functions/message/types.ts';
import { defineFlow } from '../../functions/policy/define-flow.ts';
import type { Flow } from '../../functions/policy/types.ts';
import type { Reading, SwitchState, WorkState } from '../../functions/replay/guards.ts';
import type { Delivery, Parking, ReplayPorts } from '../../functions/replay/ports.ts';
import type { ReplayStore } from '../../functions/replay/store/replay-store.ts';

/** A message at rest in the model's parking queue. */
export interface Parked {
  readonly content: Buffer;
  readonly properties: { readonly messageId?: string; readonly headers: Record<string, unknown> };
}

/** Thrown by everything a dead worker touches. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** A parked copy of ours, as it lies in the queue. */
export function parkedCopy(n: number, headers: Record<string, unknown> = {}): Parked {
  return {
    content: Buffer.from(`{"n":${n}}`),
    properties: {
      messageId: `m-${n}`,
      headers: {
        'x-layover-publish': `token-${n}`,
        'x-failure-class': 'transient',
        'x-failure-rule': 'network',
        'x-failure-signature': 'sig-network',
        'x-failure-name': 'Error',
        'x-failure-message': 'connect ECONNREFUSED',
        'x-failure-first-at': '2026-06-01T10:00:00.000Z',
        'x-failure-last-at': '2026-06-01T11:00:00.000Z',
        'x-origin-queue': 'orders',
        ...headers,
      },
    },
  };
}

export function replayFlow(name: string, replay: Record<string, unknown> = {}): Flow<never> {
  return defineFlow({
    name,
    queue: 'orders',
    bindings: [],
    owner: 'team',
    runbook: 'https://example.com',
    impact: 'Orders are late.',
    critical: false,
    schedule: { delays: ['10s'] },
    replay: { automatic: ['transient'], ...replay },
  }) as Flow<never>;
}

/**
 * A broker in memory with one parking queue and one work queue, and a clock of its own: for sequences of
 * faults no real broker gives on demand. It holds, gives back and orders messages as a quorum queue does.
 */
export class ReplayWorld {
  nowMs = Date.UTC(2026, 5, 1, 12);
  parked: Parked[] = [];
  /** Copies the work queue has taken, in order. */
  readonly work: OutgoingCopy[] = [];
  /** What the broker does with a publish; default: take it. */
  onPublish: (copy: OutgoingCopy) => void | Promise<void> = () => undefined;
  switchState: SwitchState = 'on';
  workState: (message: Message) => Reading<WorkState> = () => ({ kind: 'read', value: 'none' });
  readonly exported: { run: string; part: string; messages: readonly Message[] }[] = [];
  readonly logged: Readonly<Record<string, unknown>>[] = [];
  /** Acknowledgements are read and forgotten, as by a channel closed too early. */
  forgetful = false;
  publishes = 0;
  deliveries = 0;
  #holder: ModelParking | undefined;

  /** The ports of one worker. `step` is called before each thing it does to the world and may throw. */
  ports(store: ReplayStore, step: (what: string) => void = () => undefined): ReplayPorts {
    return {
      environment: 'local',
      vhost: '/',
      store,
      openParking: async () => {
        step('open');
        if (this.#holder !== undefined) {
          throw Object.assign(new Error('the lock is held'), { code: 'PARKING_LOCKED' });
        }
        this.#holder = new ModelParking(this, step, () => {
          this.#holder = undefined;
        });
        return this.#holder;
      },
      publish: async (copy) => {
        step('publish');
        this.publishes += 1;
        this.work.push(copy);
        try {
          await this.onPublish(copy);
        } catch (error) {
          this.work.splice(this.work.indexOf(copy), 1);
          throw error;
        }
        step('confirm');
      },
      killSwitch: async () => this.switchState,
      workStates: async (_flow, messages) => messages.map((message) => this.workState(message)),
      exporter: {
        keep: async (run, part, messages) => {
          step('export');
          this.exported.push({ run, part, messages });
          return { to: `memory:${run}/${part}`, sha256: 'of the export' };
        },
      },
      log: (lines) => this.logged.push(...lines),
      now: () => this.nowMs,
      wait: async (ms) => {
        this.nowMs += ms;
        await setImmediate();
      },
      breathe: setImmediate,
      newId: () => randomUUID(),
    };
  }

  /** The worker's process is gone: what it held is ready again, in its place. */
  bury(): void {
    this.#holder?.vanish();
  }

  get locked(): boolean {
    return this.#holder !== undefined;
  }
}

export function returned(): MessageError {
  return new MessageError('UNROUTABLE', 'No queue "orders" took the message: 312 NO_ROUTE.');
}

export function nacked(): MessageError {
  return new MessageError('NACKED', 'Queue "orders" refused the message (nack).');
}

class ModelParking implements Parking {
  lost: Error | undefined;
  readonly #world: ReplayWorld;
  readonly #step: (what: string) => void;
  readonly #unlock: () => void;
  /** Tag → message, in the order of delivery. */
  #held = new Map<number, Parked>();
  /** Acknowledged here, not yet on the wire. */
  #acks: number[] = [];
  #tag = 0;

  constructor(world: ReplayWorld, step: (what: string) => void, unlock: () => void) {
    this.#world = world;
    this.#step = step;
    this.#unlock = unlock;
  }

  async depth(): Promise<number> {
    return this.#world.parked.length;
  }

  async scan({ window, onDelivery, signal }: ScanOptions): Promise<ScanEnd> {
    this.#step('scan');
    const depth = this.#world.parked.length;
    const expected = Math.min(depth, window);
    this.#tag = 0;
    for (let scanned = 1; scanned <= expected; scanned++) {
      if (signal?.aborted === true) return { depth, scanned: scanned - 1, end: 'stopped' };
      if (this.lost !== undefined) throw this.lost;
      const next = this.#world.parked.shift();
      if (next === undefined) return { depth, scanned: scanned - 1, end: 'silence' };
      this.#tag += 1;
      this.#held.set(this.#tag, next);
      this.#world.deliveries += 1;
      const { content, properties } = next;
      const delivery = { content, properties, fields: { deliveryTag: this.#tag } };
      if (onDelivery(delivery as unknown as Delivery & never) === 'enough') {
        return { depth, scanned, end: 'enough' };
      }
      if (scanned % 50 === 0) await setImmediate();
    }
    return { depth, scanned: expected, end: 'all' };
  }

  ack(tag: number): void {
    this.#acks.push(tag);
  }

  hold(): void {}

  async settle(): Promise<void> {
    this.#step('acknowledge');
    if (this.lost !== undefined) throw this.lost;
    if (this.#world.forgetful) this.#acks = [];
    for (const tag of this.#acks) {
      if (!this.#held.delete(tag)) throw new Error(`acknowledged twice: ${tag}`);
    }
    this.#acks = [];
    this.#step('acknowledged');
  }

  async release(): Promise<void> {
    this.#step('release');
    if (this.lost !== undefined) return;
    await this.settle();
    this.#giveBack();
  }

  async close(): Promise<void> {
    if (this.lost === undefined) this.vanish();
  }

  vanish(): void {
    this.lost = Object.assign(new Error('the hold is lost'), { code: 'PARKING_LOST' });
    this.#giveBack();
    this.#unlock();
  }

  #giveBack(): void {
    this.#world.parked.unshift(...this.#held.values());
    this.#held = new Map();
    this.#acks = [];
  }
}
