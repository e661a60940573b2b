import { isTable } from './amqp-value.ts';
import { readBrokerCount, readText, readTimestamp } from './clamp.ts';
import { BROKER_HEADERS } from './headers.ts';
import { DEATHS_LIMIT, SHORT_STRING_LIMIT_BYTES } from './limits.ts';
import type { Death, HeaderTable, HeaderValue } from './types.ts';

/**
 * Reads the broker's `x-death`, newest first. RabbitMQ 4 names the newest in `x-last-death-*`, which
 * is believed over the order of the list; `x-first-death-*` marks the entry with the sender's own
 * exchange and routing keys. Entries without queue or reason are skipped: a sender can write the header
 * too (3.x even interprets it).
 */
export function readDeaths(headers: HeaderTable): Death[] {
  const list = headers[BROKER_HEADERS.deaths];
  if (!Array.isArray(list)) return [];
  const first = named(headers, BROKER_HEADERS.firstDeathQueue, BROKER_HEADERS.firstDeathReason);
  const last = named(headers, BROKER_HEADERS.lastDeathQueue, BROKER_HEADERS.lastDeathReason);
  const deaths = list.slice(0, DEATHS_LIMIT).flatMap((entry) => readDeath(entry, first));
  const newest = deaths.findIndex((death) => key(death.queue, death.reason) === last);
  return newest <= 0 ? deaths : [...deaths.splice(newest, 1), ...deaths];
}

function readDeath(entry: HeaderValue, first: string | undefined): Death[] {
  if (!isTable(entry)) return [];
  const queue = shortText(entry.queue);
  const reason = shortText(entry.reason);
  if (queue === undefined || reason === undefined) return [];
  const exchange = shortText(entry.exchange);
  const timeSeconds = readTimestamp(entry.time);
  const keys = entry['routing-keys'];
  return [
    {
      queue,
      reason,
      count: readBrokerCount(entry.count) ?? 1,
      ...(exchange === undefined ? {} : { exchange }),
      routingKeys: Array.isArray(keys) ? keys.flatMap((item) => shortText(item) ?? []) : [],
      ...(timeSeconds === undefined ? {} : { timeSeconds }),
      ...(key(queue, reason) === first ? { first: true } : {}),
    },
  ];
}

function named(headers: HeaderTable, queueName: string, reasonName: string): string | undefined {
  const queue = headers[queueName];
  const reason = headers[reasonName];
  return typeof queue === 'string' && typeof reason === 'string' ? key(queue, reason) : undefined;
}

/** Names on the broker are short strings: what is longer was not written by one. */
function shortText(value: HeaderValue | undefined): string | undefined {
  if (typeof value !== 'string' || Buffer.byteLength(value) > SHORT_STRING_LIMIT_BYTES) {
    return undefined;
  }
  return readText(value, SHORT_STRING_LIMIT_BYTES);
}

function key(queue: string, reason: string): string {
  return `${reason}\0${queue}`;
}
