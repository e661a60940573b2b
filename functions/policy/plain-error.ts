/** In an outage a thousand messages fail by equal errors: such an error is taken apart once. */
import { types } from 'node:util';
import type { NormalisedError } from './types.ts';

const MAX_ENTRIES = 64;
const MAX_KEY = 8_192;
const MAX_FIELDS = 12;

/** Own fields every error has; all others must be enumerable to be seen. */
const HIDDEN: ReadonlySet<string> = new Set(['stack', 'message']);
/** Reading one of these may depend on the time of day. */
const TIMED = /retry|after|reset/i;

type Chains = Map<string, NormalisedError>;

/** By prototype, since that is where a name, and whatever a class adds, comes from. */
const chainsOf = new WeakMap<object, Chains | 'not plain'>();

/**
 * What `make` gives for a thrown thing, from memory when an equal one was seen lately. Equal are native
 * errors of one class whose stack, message and own fields are the same primitives; an error that
 * holds anything else (a cause, headers, getters) is always taken apart anew.
 */
export function rememberedChain(thrown: unknown, make: () => NormalisedError): NormalisedError {
  if (!types.isNativeError(thrown)) return make();
  const chains = chainsFor(Object.getPrototypeOf(thrown));
  const key = chains && keyOf(thrown as Error & Record<string, unknown>);
  if (chains === undefined || key === undefined) return make();
  const known = chains.get(key);
  if (known !== undefined) return known;
  const chain = make();
  if (chains.size >= MAX_ENTRIES) chains.clear();
  chains.set(key, chain);
  return chain;
}

function keyOf(error: Error & Record<string, unknown>): string | undefined {
  try {
    const names = Object.getOwnPropertyNames(error);
    if (names.length > MAX_FIELDS) return undefined;
    let key = '';
    for (const name of names) {
      const hidden = HIDDEN.has(name);
      if (
        !hidden &&
        (TIMED.test(name) || !Object.prototype.propertyIsEnumerable.call(error, name))
      ) {
        return undefined;
      }
      const value = error[name];
      const type = typeof value;
      if (value !== null && (type === 'object' || type === 'function' || type === 'symbol')) {
        return undefined;
      }
      // Lengths keep one text from running into the next.
      const text = String(value);
      key += `${name}:${type}:${text.length}:${text}`;
    }
    return key.length > MAX_KEY ? undefined : key;
  } catch {
    return undefined;
  }
}

function chainsFor(prototype: object | null): Chains | undefined {
  if (prototype === null) return undefined;
  let chains = chainsOf.get(prototype);
  if (chains === undefined) {
    chains = isPlain(prototype) ? new Map() : 'not plain';
    chainsOf.set(prototype, chains);
  }
  return chains === 'not plain' ? undefined : chains;
}

/** No class between the error and Object adds a getter or an object of its own. */
function isPlain(prototype: object): boolean {
  try {
    for (
      let level: object | null = prototype;
      level !== null && level !== Object.prototype;
      level = Object.getPrototypeOf(level)
    ) {
      for (const descriptor of Object.values(Object.getOwnPropertyDescriptors(level))) {
        if (descriptor.get !== undefined) return false;
        if (typeof descriptor.value === 'object' && descriptor.value !== null) return false;
      }
    }
    return true;
  } catch {
    return false;
  }
}
