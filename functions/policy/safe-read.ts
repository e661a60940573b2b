/**
 * Reading things that were thrown. Nothing here throws or writes: a getter may throw, a proxy may be
 * revoked, and a name may be anything.
 */
import { types } from 'node:util';

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** A property, inherited ones and getters included; `undefined` when it can't be read. */
export function read(target: unknown, key: PropertyKey): unknown {
  if (!isObject(target)) return undefined;
  try {
    return Reflect.get(target, key);
  } catch {
    return undefined;
  }
}

/** Follows a dotted path: `readPath(error, 'response.headers')`. Paths are few and written in code. */
export function readPath(target: unknown, path: string): unknown {
  let keys = splitPaths.get(path);
  if (keys === undefined) {
    keys = path.split('.');
    splitPaths.set(path, keys);
  }
  let value = target;
  for (let index = 0; index < keys.length && value !== undefined; index += 1) {
    value = read(value, keys[index] ?? '');
  }
  return value;
}

const splitPaths = new Map<string, readonly string[]>();

/** Own enumerable string keys, at most `limit`; none when they can't be listed. */
export function ownKeys(target: object, limit: number): string[] {
  if (isBytes(target)) return [];
  try {
    return Object.keys(target).slice(0, limit);
  } catch {
    return [];
  }
}

/** `Array.isArray` throws for a revoked proxy; this doesn't. */
export function isArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** The first elements of an array, read one by one so that a hole or a getter is only a hole. */
export function elements(value: unknown, limit: number): unknown[] {
  if (!isArray(value)) return [];
  const length = read(value, 'length');
  const count = Math.min(typeof length === 'number' ? length : 0, limit);
  return Array.from({ length: count }, (_, index) => read(value, index));
}

export function isBytes(value: unknown): boolean {
  return types.isArrayBufferView(value) || types.isAnyArrayBuffer(value);
}

/**
 * An Error of any realm, a DOMException, or an object described like one (a message with a name or
 * a stack), which is how errors look after JSON or a structured clone.
 */
export function isErrorLike(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (types.isNativeError(value)) return true;
  if (typeof read(value, 'message') !== 'string') return false;
  return typeof read(value, 'name') === 'string' || typeof read(value, 'stack') === 'string';
}

/** Text of a primitive, cut to `max` UTF-16 units; `undefined` for objects and for nothing. */
export function primitiveText(value: unknown, max: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return value.slice(0, max);
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'symbol':
      return String(value).slice(0, max);
    default:
      return undefined;
  }
}

/** A text that says something: not empty, not blank. */
export function nonEmptyText(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, max) : undefined;
}

/** Epoch milliseconds of a Date of any realm; `undefined` for anything else and for invalid dates. */
export function dateMs(value: unknown): number | undefined {
  if (!types.isDate(value)) return undefined;
  const ms = Date.prototype.getTime.call(value);
  return Number.isNaN(ms) ? undefined : ms;
}
