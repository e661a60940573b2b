import { onTestFinished } from 'vitest';
import { createSession } from '../../../functions/broker/session.ts';
import type { BrokerSession } from '../../../functions/broker/types.ts';
import type { HeaderValue, OutgoingCopy } from '../../../functions/message/types.ts';
import { AmqpPeer, type PeerOptions } from '../../helpers/amqp-peer.ts';

/** A copy for queue `orders.wait.10s`; parts replace what a test is about. */
export function aCopy(parts: Partial<OutgoingCopy> = {}): OutgoingCopy {
  return {
    queue: 'orders.wait.10s',
    body: Buffer.from('{"orderId":"o-1"}'),
    properties: { messageId: 'm-1' },
    headers: tableOf({ 'x-tenant': 'acme' }),
    ...parts,
  };
}

export function tableOf(entries: Record<string, HeaderValue>): OutgoingCopy['headers'] {
  return Object.assign(Object.create(null), entries);
}

/** A scripted peer that ends with the test. */
export async function aPeer(options: PeerOptions = {}): Promise<AmqpPeer> {
  const peer = await AmqpPeer.start(options);
  onTestFinished(() => peer.close());
  return peer;
}

/** A session with the peer that ends with the test. */
export function aSession(url: string, now?: () => number): BrokerSession {
  const session = createSession(
    { kind: 'url', url },
    { connectionName: 'layover/orders', ...(now ? { now } : {}) },
  );
  onTestFinished(() => session.close());
  return session;
}

/** A deadline so many milliseconds ahead. */
export function within(delayMs: number): number {
  return Date.now() + delayMs;
}

/** How each promise ended: `ok`, or the error's code. */
export async function endings(promises: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) =>
    result.status === 'fulfilled' ? 'ok' : String((result.reason as { code?: string }).code),
  );
}
