import { shown } from './decode-properties.ts';
import { type DecodedRecord, decodeRecord } from './decode-record.ts';
import { EventError } from './errors.ts';

/** A decoded Lambda event: its records in the order they came. */
export interface DecodedEvent {
  /** The broker's ARN; absent when the event had none. */
  readonly eventSourceArn?: string;
  readonly records: readonly DecodedRecord[];
}

/**
 * Decodes the event of an Amazon MQ for RabbitMQ event source mapping (`RabbitMqEvent`).
 *
 * Every record gives a message, however garbled it is, since a record that is dropped here would be
 * acknowledged and lost; see {@link DecodedRecord}.
 *
 * @throws EventError when the event isn't from RabbitMQ or has no `rmqMessagesByQueue` object. There
 * is nothing to settle then.
 */
export function decodeEvent(event: unknown): DecodedEvent {
  if (!isObject(event)) {
    throw new EventError('NOT_AN_OBJECT', `The event is ${shown(event)}, not an object.`);
  }
  const { eventSource, eventSourceArn, rmqMessagesByQueue } = event;
  if (eventSource !== 'aws:rmq') {
    throw new EventError(
      'WRONG_SOURCE',
      `eventSource is ${shown(eventSource)}, not "aws:rmq": this function only takes events of an Amazon MQ for RabbitMQ event source mapping.`,
    );
  }
  if (!isObject(rmqMessagesByQueue)) {
    throw new EventError(
      'NO_QUEUES',
      `rmqMessagesByQueue is ${shown(rmqMessagesByQueue)}, not an object of "<queue>::<vhost>" keys.`,
    );
  }
  const records = Object.entries(rmqMessagesByQueue).flatMap(([key, list]) => {
    const { queue, vhost } = splitQueueKey(key);
    return asRecords(list).map((record) => decodeRecord(record, queue, vhost));
  });
  return { ...(typeof eventSourceArn === 'string' ? { eventSourceArn } : {}), records };
}

/**
 * Splits a key of `rmqMessagesByQueue`, `"<queue>::<vhost>"`.
 *
 * Both names may contain `::`, so the key is ambiguous. It is split at the **last** one: queue names
 * with `::` are seen in the field (`orders::v2`), virtual hosts with it are not. A virtual host named
 * `a::b` would lose its first half to the queue's name. A key without `::` is a queue on `/`.
 */
export function splitQueueKey(key: string): { readonly queue: string; readonly vhost: string } {
  const at = key.lastIndexOf('::');
  if (at < 0) return { queue: key, vhost: '/' };
  return { queue: key.slice(0, at), vhost: key.slice(at + 2) };
}

/** A list of records; what is no list at all counts as one garbled record, and null as none. */
function asRecords(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list;
  return list === null || list === undefined ? [] : [list];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
