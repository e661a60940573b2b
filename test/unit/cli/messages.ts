import { decodeEvent } from '../../../functions/message/decode-event.ts';
import type { Message } from '../../../functions/message/types.ts';

export interface RecordInput {
  readonly id?: string;
  readonly correlationId?: string;
  readonly redelivered?: boolean;
  readonly headers?: Readonly<Record<string, unknown>>;
}

/** A Lambda event of one queue. */
export function eventOf(queue: string, records: readonly RecordInput[]) {
  const list = records.map(({ id, correlationId, redelivered, headers }) => ({
    basicProperties: {
      messageId: id ?? null,
      correlationId: correlationId ?? null,
      headers: headers ?? null,
    },
    redelivered: redelivered ?? false,
    data: 'e30=',
  }));
  return { eventSource: 'aws:rmq', rmqMessagesByQueue: { [`${queue}::/`]: list } };
}

export function messagesOf(...records: readonly RecordInput[]): readonly Message[] {
  return decodeEvent(eventOf('orders', records)).records.map(({ message }) => message);
}
