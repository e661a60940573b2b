import { createHash } from 'node:crypto';

/** Fingerprints of the messages a plan selected, in the order of the queue. */
export type Selection = readonly string[];

/** What identifies a selection: the content it saw, in its order. */
export function digestOf(selection: Selection): string {
  const digest = createHash('sha256');
  for (const fingerprint of selection) digest.update(fingerprint).update('\n');
  return digest.digest('hex').slice(0, 32);
}

/** Items of at most this many ids each, so that none comes near DynamoDB's 400 KB. */
export const IDS_PER_ITEM = 1_000;

export function inItems<T>(list: readonly T[], size = IDS_PER_ITEM): T[][] {
  const items: T[][] = [];
  for (let from = 0; from < list.length; from += size) items.push(list.slice(from, from + size));
  return items;
}

/**
 * The planned messages a scan has not met yet. Identical messages (the same copy parked twice) count
 * each for itself.
 */
export class Remaining {
  readonly #counts = new Map<string, number>();
  #size = 0;

  constructor(selection: Selection) {
    for (const fingerprint of selection) this.#add(fingerprint);
  }

  get size(): number {
    return this.#size;
  }

  /** Takes one message with this fingerprint; false when none is (or is no longer) planned. */
  take(fingerprint: string): boolean {
    const count = this.#counts.get(fingerprint);
    if (count === undefined) return false;
    if (count === 1) this.#counts.delete(fingerprint);
    else this.#counts.set(fingerprint, count - 1);
    this.#size -= 1;
    return true;
  }

  /** All that were never taken. */
  list(): string[] {
    return [...this.#counts].flatMap(([fingerprint, count]) =>
      Array.from({ length: count }, () => fingerprint),
    );
  }

  #add(fingerprint: string): void {
    this.#counts.set(fingerprint, (this.#counts.get(fingerprint) ?? 0) + 1);
    this.#size += 1;
  }
}
