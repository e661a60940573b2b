import { decodeDelivery } from '../message/decode-delivery.ts';
import type { Message } from '../message/types.ts';
import type { Flow } from '../policy/types.ts';
import { parkedQueueName } from '../topology/names.ts';
import { signatureOf, stampedId } from './parked-facts.ts';
import type { Delivery, Parking, ReplayPorts } from './ports.ts';
import type { Progress } from './progress.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Stop } from './stop.ts';
import type { Lease } from './store/lease.ts';
import type { MoveEntry } from './store/moves.ts';
import type { Order, Run } from './types.ts';

/** One worker on one run. */
export interface Work {
  readonly ports: ReplayPorts;
  readonly flow: Flow<never>;
  readonly run: Run;
  readonly order: Order;
  readonly lease: Lease;
  readonly progress: Progress;
  readonly limiter: RateLimiter;
}

/** One hold on the parking queue, at most ten minutes long. */
export interface Slice extends Work {
  readonly parking: Parking;
  readonly stop: Stop;
  /** Epoch milliseconds. */
  readonly deadlineAtMs: number;
}

/** A planned message a scan has met. */
export interface Candidate {
  readonly tag: number;
  readonly fingerprint: string;
  readonly delivery: Delivery;
  /** Of its body. */
  readonly bytes: number;
  readonly fate: 'move' | 'superseded' | 'doubt';
}

/** A candidate, decoded. */
export interface Item extends MoveEntry {
  readonly tag: number;
  readonly message: Message;
}

export function itemOf({ ports, flow }: Work, candidate: Candidate): Item {
  const { fingerprint, delivery, tag } = candidate;
  const message = decodeDelivery(delivery, parkedQueueName(flow.queue), ports.vhost);
  const messageId = message.properties.messageId ?? stampedId(fingerprint);
  return { tag, fingerprint, messageId, signature: signatureOf(message, flow), message };
}

/** Without the message: what is kept of an item. */
export function entryOf({ fingerprint, messageId, signature }: MoveEntry): MoveEntry {
  return { fingerprint, messageId, signature };
}
