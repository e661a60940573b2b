/** A source of numbers in [0, 1): the same for the same seed, on every machine. */
export type Random = () => number;

/** mulberry32: small, fast, good enough to choose test data; never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One of the values; refuses an empty list. */
export function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new RangeError('pick: the list of values is empty');
  return value;
}

/** A whole number from `low` to `high`, both included. */
export function between(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}

/** The same values in another order (Fisher and Yates). */
export function shuffled<T>(random: Random, values: readonly T[]): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last--) {
    const other = between(random, 0, last);
    const [a, b] = [result[last], result[other]] as [T, T];
    result[last] = b;
    result[other] = a;
  }
  return result;
}
