/** Bounded, frozen copies of whatever an error carries, so that rules read data and nothing else. */
import { types } from 'node:util';
import { dateMs, elements, isArray, isBytes, isObject, ownKeys, read } from './safe-read.ts';

/** How much one link of a chain may bring along. */
const MAX_VALUES = 400;
const MAX_DEPTH = 4;
const MAX_KEYS = 60;
const MAX_ITEMS = 50;
const MAX_TEXT = 4_096;

/** Sockets, agents, requests: big, cyclic, full of secrets, and no rule needs them. */
const SKIPPED: ReadonlySet<string> = new Set([
  'request',
  'req',
  'config',
  'socket',
  'agent',
  'httpAgent',
  'httpsAgent',
  'client',
  'connection',
  'parser',
  'stack',
  'domain',
  'domainEmitter',
  'timings',
  '_events',
  '_readableState',
  '_writableState',
]);

/** Counts down over one copy, however deep it goes. */
export interface SnapshotBudget {
  left: number;
}

/** A budget for one link of the chain. */
export function newBudget(): SnapshotBudget {
  return { left: MAX_VALUES };
}

/**
 * Copies plain data out of `value`: primitives as they are (texts cut), dates as ISO text, arrays
 * and objects to a limited depth and width, functions left out. The copy is frozen and its objects
 * have no prototype. Cycles end at the depth limit.
 */
export function snapshot(value: unknown, budget: SnapshotBudget, depth = 0): unknown {
  if (budget.left <= 0) return undefined;
  budget.left -= 1;
  if (typeof value === 'string') return value.slice(0, MAX_TEXT);
  if (typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return undefined;
  if (!isObject(value)) return value;
  if (isBytes(value)) return '[bytes]';
  if (types.isDate(value)) return dateText(value);
  if (depth >= MAX_DEPTH) return '[object]';
  if (types.isSet(value)) return snapshotItems(setItems(value), budget, depth);
  if (isArray(value)) return snapshotItems(elements(value, MAX_ITEMS), budget, depth);
  const copy: Record<string, unknown> = Object.create(null);
  snapshotInto(copy, value, budget, depth);
  return Object.freeze(copy);
}

/** Copies the own enumerable fields of `value` into `copy`; what is there already stays. */
export function snapshotInto(
  copy: Record<string, unknown>,
  value: object,
  budget: SnapshotBudget,
  depth = 0,
): void {
  for (const key of ownKeys(value, MAX_KEYS)) {
    if (SKIPPED.has(key) || key in copy || budget.left <= 0) continue;
    const item = snapshot(read(value, key), budget, depth + 1);
    if (item !== undefined) copy[key] = item;
  }
}

function snapshotItems(items: readonly unknown[], budget: SnapshotBudget, depth: number): unknown {
  return Object.freeze(items.map((item) => snapshot(item, budget, depth + 1)));
}

function setItems(value: Set<unknown>): unknown[] {
  const items: unknown[] = [];
  // The intrinsic iterator: a subclass may have overridden its own.
  Set.prototype.forEach.call(value, (item) => {
    if (items.length < MAX_ITEMS) items.push(item);
  });
  return items;
}

function dateText(value: unknown): string | undefined {
  const ms = dateMs(value);
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** A short JSON text of a snapshot, for people. BigInt is written as digits. Never throws. */
export function snapshotText(value: unknown, max: number): string {
  try {
    const plain = snapshot(value, newBudget());
    const text = JSON.stringify(plain, (_key, item: unknown) =>
      typeof item === 'bigint' ? String(item) : item,
    );
    return (text ?? '').slice(0, max);
  } catch {
    return '';
  }
}
