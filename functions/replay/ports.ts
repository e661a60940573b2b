import type { ConsumeMessage } from 'amqplib';
import type { ScanEnd, ScanOptions } from '../broker/parking-reader.ts';
import type { Message, OutgoingCopy } from '../message/types.ts';
import type { Flow } from '../policy/types.ts';
import type { Reading, SwitchState, WorkState } from './guards.ts';
import type { ReplayStore } from './store/replay-store.ts';

/** A parking queue held by this process; `ParkingReader` is the one implementation on a broker. */
export interface Parking {
  /** Why nothing can be acknowledged any more. */
  readonly lost: Error | undefined;
  depth(): Promise<number>;
  scan(options: ScanOptions): Promise<ScanEnd>;
  ack(tag: number): void;
  hold(tag: number): void;
  settle(): Promise<void>;
  release(): Promise<void>;
  close(): Promise<void>;
}

export type Delivery = Pick<ConsumeMessage, 'content' | 'properties' | 'fields'>;

/** Where messages go that are removed for good. */
export interface Exporter {
  /** Keeps the messages safe; only then are they removed. Says where they are and what they hash to. */
  keep(
    run: string,
    part: string,
    messages: readonly Message[],
  ): Promise<{ readonly to: string; readonly sha256: string }>;
}

/** Everything a replay needs of the world. */
export interface ReplayPorts {
  readonly environment: string;
  readonly vhost: string;
  readonly store: ReplayStore;
  /** Opens the flow's parking queue and takes its lock. */
  readonly openParking: (workQueue: string, deadlineAtMs: number) => Promise<Parking>;
  /** Resolves when published, routed and confirmed: see `BrokerSession.publish`. */
  readonly publish: (copy: OutgoingCopy, deadlineAtMs: number) => Promise<void>;
  readonly killSwitch: (flow: string) => Promise<SwitchState>;
  /** What the flow's idempotency records say of these messages, in their order. Never rejects. */
  readonly workStates: (
    flow: Flow<never>,
    messages: readonly Message[],
  ) => Promise<readonly Reading<WorkState>[]>;
  readonly exporter: Exporter;
  /** One line per message that was moved or left: with its headers, its history. */
  readonly log: (lines: readonly Readonly<Record<string, unknown>>[]) => void;
  readonly now: () => number;
  /** Resolves after `ms`, or at once when the signal says so. */
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Lets the event loop turn once. */
  readonly breathe: () => Promise<void>;
  readonly newId: () => string;
}
