import { emptyTable, isTable } from './amqp-value.ts';
import { isByteList } from './decode-header-json.ts';
import { HEADERS } from './headers.ts';
import { TEXT_LIMIT_BYTES } from './limits.ts';
import type { HeaderTable, HeaderValue } from './types.ts';

/**
 * Header values that are raw bytes (a long string that is no UTF-8, or a byte array) leave as AMQP
 * byte arrays, and the next Lambda event shows a byte array as a mere list of numbers. So that the
 * handler sees the same on every attempt, a copy says where they are: `x-origin-bytes`, JSON, a list of
 * paths such as `[["signature"],["meta","keys",0]]`.
 */
type Path = readonly (string | number)[];

/** The content of `x-origin-bytes`, or undefined when there are no such values or they don't fit. */
export function bytePathsText(headers: HeaderTable): string | undefined {
  if (!Object.values(headers).some(mayHoldBytes)) return undefined;
  const limit = TEXT_LIMIT_BYTES[HEADERS.originBytes];
  let text = '';
  // Sorted: the order of a table's keys is not kept by every client, and a copy should equal its copy.
  for (const path of [...pathsOf(headers)].map((path) => JSON.stringify(path)).sort()) {
    const next = text === '' ? path : `${text},${path}`;
    if (Buffer.byteLength(next) + 2 > limit) break;
    text = next;
  }
  return text === '' ? undefined : `[${text}]`;
}

/** The headers with lists turned into bytes again where `text` says so. Ignores what doesn't fit. */
export function withBytes(headers: HeaderTable, text: string): HeaderTable {
  const paths = parsePaths(text);
  return paths.reduce<HeaderTable>((table, path) => {
    const changed = bytesAt(table, path);
    return isTable(changed) ? changed : table;
  }, headers);
}

/** Most messages have texts and numbers only, and need no walk. */
function mayHoldBytes(value: HeaderValue): boolean {
  return typeof value === 'object' && value !== null;
}

function* pathsOf(value: HeaderValue, path: Path = []): Generator<Path> {
  if (value instanceof Uint8Array) {
    yield path;
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* pathsOf(item, [...path, index]);
  } else if (isTable(value)) {
    for (const [key, item] of Object.entries(value)) yield* pathsOf(item, [...path, key]);
  }
}

function parsePaths(text: string): Path[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(json) ? json.filter(isPath) : [];
}

function isPath(value: unknown): value is Path {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((step) => typeof step === 'string' || Number.isInteger(step))
  );
}

function bytesAt(value: HeaderValue, path: Path): HeaderValue {
  const [step, ...rest] = path;
  if (step === undefined) return isByteList(value) ? Buffer.from(value) : value;
  if (typeof step === 'number') {
    if (!Array.isArray(value)) return value;
    return value.map((item, index) => (index === step ? bytesAt(item, rest) : item));
  }
  const item = isTable(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  if (item === undefined) return value;
  return Object.assign(emptyTable(), value, { [step]: bytesAt(item, rest) });
}
