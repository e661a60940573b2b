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

/** A set that counts: identical messages (without any id, say) count each for itself. */
export class Bag {
  readonly #counts = new Map<string, number>();
  #size = 0;

  constructor(content: Iterable<string> = []) {
    for (const entry of content) this.add(entry);
  }

  get size(): number {
    return this.#size;
  }

  add(entry: string): void {
    this.#counts.set(entry, (this.#counts.get(entry) ?? 0) + 1);
    this.#size += 1;
  }

  has(entry: string): boolean {
    return this.#counts.has(entry);
  }

  /** Takes one out; false when there is none (left). */
  take(entry: string): boolean {
    const count = this.#counts.get(entry);
    if (count === undefined) return false;
    if (count === 1) this.#counts.delete(entry);
    else this.#counts.set(entry, count - 1);
    this.#size -= 1;
    return true;
  }

  list(): string[] {
    return [...this.#counts].flatMap(([entry, count]) =>
      Array.from({ length: count }, () => entry),
    );
  }
}
