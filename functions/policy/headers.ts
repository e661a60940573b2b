/** Response headers, however a library keeps them, as one record with lower-case names. */
import {
  elements,
  isArray,
  isObject,
  ownKeys,
  primitiveText,
  read,
  readPath,
} from './safe-read.ts';

export type HeaderRecord = Readonly<Record<string, string>>;

const MAX_HEADERS = 100;
const MAX_VALUE = 1_024;

/**
 * Where libraries put response headers, the first found wins per name: fetch-like errors and SDKs
 * (`headers`), axios, got and superagent (`response`), AWS SDK v3 (`$response`), Stripe (`raw`),
 * Elasticsearch (`meta`), Boom (`output`), gRPC trailers (`metadata`).
 */
const PLACES = [
  'headers',
  'responseHeaders',
  'response.headers',
  'response.header',
  'res.headers',
  '$response.headers',
  'raw.headers',
  'meta.headers',
  'output.headers',
  'rawHeaders',
  'response.rawHeaders',
  'metadata',
];

/** The headers of the response an error tells of; empty when it tells of none. */
export function responseHeaders(error: unknown): HeaderRecord {
  const found: Record<string, string> = Object.create(null);
  for (const place of PLACES) {
    for (const [name, value] of pairs(readPath(error, place))) {
      const text = headerText(value);
      if (typeof name !== 'string' || text === undefined) continue;
      found[name.slice(0, 256).toLowerCase()] ??= text;
    }
  }
  return Object.freeze(found);
}

/** `Headers`, Map, gRPC Metadata, lists of pairs, flat raw lists, and plain objects. */
function pairs(container: unknown): [unknown, unknown][] {
  if (!isObject(container)) return [];
  if (isArray(container)) return listPairs(elements(container, MAX_HEADERS * 2));
  const iterated = iterate(container);
  if (iterated.length > 0) return iterated;
  return ownKeys(container, MAX_HEADERS).map((key) => [key, read(container, key)]);
}

function listPairs(items: unknown[]): [unknown, unknown][] {
  if (items.every((item) => typeof item === 'string')) {
    // Node's rawHeaders: name, value, name, value…
    return Array.from({ length: Math.floor(items.length / 2) }, (_, index) => [
      items[index * 2],
      items[index * 2 + 1],
    ]);
  }
  return items.map((item) =>
    isArray(item)
      ? [read(item, 0), read(item, 1)]
      : [read(item, 'name') ?? read(item, 'key'), read(item, 'value')],
  );
}

/** Runs foreign code (`entries`, `getMap`), so everything it does may fail. */
function iterate(container: object): [unknown, unknown][] {
  const found: [unknown, unknown][] = [];
  try {
    const getMap = read(container, 'getMap');
    if (typeof getMap === 'function') {
      const map: unknown = Reflect.apply(getMap, container, []);
      return isObject(map) ? ownKeys(map, MAX_HEADERS).map((key) => [key, read(map, key)]) : [];
    }
    const entries = read(container, 'entries');
    if (typeof entries !== 'function') return [];
    const iterator: unknown = Reflect.apply(entries, container, []);
    for (const entry of iterator as Iterable<unknown>) {
      found.push([read(entry, 0), read(entry, 1)]);
      if (found.length >= MAX_HEADERS) break;
    }
  } catch {
    // What was read until then still counts.
  }
  return found;
}

function headerText(value: unknown): string | undefined {
  return primitiveText(isArray(value) ? read(value, 0) : value, MAX_VALUE);
}
