import type { ConsumeMessage } from 'amqplib';

/** A JSON value of the event; the event mapping knows no others. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One record of the event, as text, so that it is written once and measured once. */
export interface EventRecordText {
  readonly json: string;
  /** What the record takes of the 6 MB payload, in bytes. */
  readonly bytes: number;
}

const JVM_TIME = new Intl.DateTimeFormat('en-US', {
  timeZone: 'UTC',
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});

/**
 * Formats whole seconds since 1970 the way the mapping's JVM does: `Jul 2, 2023, 1:30:34 AM`, in UTC.
 * The space before AM or PM is U+202F, as JVMs from 20 on write it.
 */
export function jvmTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(seconds);
  return JVM_TIME.format(date).replace(/\s(AM|PM)$/, '\u202f$1');
}

/** Strings are signed bytes of UTF-8, since the mapping's Java client keeps long strings as bytes. */
function stringValue(text: string): Json {
  return { bytes: [...new Int8Array(Buffer.from(text, 'utf8'))] };
}

function typedValue(type: unknown, value: unknown): Json {
  if (type === 'timestamp') return jvmTime(Number(value));
  if (type === 'decimal' && typeof value === 'object' && value !== null) {
    const { places, digits } = value as { places: number; digits: number };
    return digits / 10 ** places;
  }
  return Number(value);
}

function headerValue(value: unknown): Json {
  switch (typeof value) {
    case 'string':
      return stringValue(value);
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return Number(value);
    case 'object':
      if (value === null) return null;
      if (Buffer.isBuffer(value)) return [...new Int8Array(value)];
      if (Array.isArray(value)) return value.map(headerValue);
      if (Object.hasOwn(value, '!') && Object.hasOwn(value, 'value')) {
        const typed = value as { readonly '!': unknown; readonly value: unknown };
        return typedValue(typed['!'], typed.value);
      }
      return headerTable(value);
    default:
      return null;
  }
}

/**
 * A header named `__proto__` swaps the prototype of the table amqplib decodes into; here it becomes
 * a key again, as it would be in the event of a client that keeps it.
 */
function headerTable(table: object): { readonly [key: string]: Json } {
  const entries: Record<string, Json> = Object.create(null);
  for (const [key, value] of Object.entries(table)) entries[key] = headerValue(value);
  const prototype: unknown = Object.getPrototypeOf(table);
  if (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    Object.defineProperty(entries, '__proto__', {
      value: headerValue(prototype),
      enumerable: true,
    });
  }
  return entries;
}

/** Turns one delivery into a record of the event: nulls for what is absent, the body in base64. */
export function toEventRecord(delivery: ConsumeMessage): EventRecordText {
  const { properties, fields, content } = delivery;
  const timestamp: unknown = properties.timestamp;
  const json = JSON.stringify({
    basicProperties: {
      contentType: properties.contentType ?? null,
      contentEncoding: properties.contentEncoding ?? null,
      headers: properties.headers === undefined ? null : headerTable(properties.headers),
      deliveryMode: properties.deliveryMode ?? null,
      priority: properties.priority ?? null,
      correlationId: properties.correlationId ?? null,
      replyTo: properties.replyTo ?? null,
      expiration: properties.expiration ?? null,
      messageId: properties.messageId ?? null,
      timestamp: typeof timestamp === 'number' ? jvmTime(timestamp) : null,
      type: properties.type ?? null,
      userId: properties.userId ?? null,
      appId: properties.appId ?? null,
      clusterId: properties.clusterId ?? null,
      bodySize: content.length,
    },
    redelivered: fields.redelivered,
    data: content.toString('base64'),
  });
  return { json, bytes: Buffer.byteLength(json) };
}

/** Puts records of one queue together to the event the function is invoked with. */
export function toEvent(
  queue: string,
  vhost: string,
  records: readonly EventRecordText[],
  sourceArn = 'arn:aws:mq:us-east-1:000000000000:broker:local:b-00000000-0000-0000-0000-000000000000',
): string {
  const list = records.map((record) => record.json).join(',');
  return `{"eventSource":"aws:rmq","eventSourceArn":${JSON.stringify(sourceArn)},"rmqMessagesByQueue":{${JSON.stringify(`${queue}::${vhost}`)}:[${list}]}}`;
}
