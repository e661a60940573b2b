/** One call a downstream received, and how it answered. */
export interface LedgerEntry {
  readonly at: Date;
  /** The id of the work: an order, a notification. */
  readonly workId: string;
  /** The Idempotency-Key header, or undefined when the caller sent none. */
  readonly key: string | undefined;
  /** The X-Attempt header as a number, or undefined when the caller sent none. */
  readonly attempt: number | undefined;
  /** 0: the connection was cut without an answer. */
  readonly status: number;
  /**
   * - `applied`: the effect happened now
   * - `repeated`: accepted, but the key was known and the effect did not happen again
   * - `refused`: no effect
   */
  readonly outcome: 'applied' | 'repeated' | 'refused';
}

/** What a downstream really saw; the books count what was processed from here. */
export class Ledger {
  readonly #entries: LedgerEntry[] = [];
  readonly #keys = new Set<string>();

  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  /** Writes a refusal down. */
  refuse(call: Omit<LedgerEntry, 'outcome'>): void {
    this.#entries.push({ ...call, outcome: 'refused' });
  }

  /** Writes an acceptance down; a known key does not apply the effect again. */
  accept(call: Omit<LedgerEntry, 'outcome'>): LedgerEntry {
    const known = call.key !== undefined && this.#keys.has(call.key);
    if (call.key !== undefined) this.#keys.add(call.key);
    const entry: LedgerEntry = { ...call, outcome: known ? 'repeated' : 'applied' };
    this.#entries.push(entry);
    return entry;
  }

  get accepted(): number {
    return this.#entries.reduce((sum, entry) => sum + (entry.outcome === 'refused' ? 0 : 1), 0);
  }

  /** Refusals by status, for the progress display. */
  refusals(): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const { outcome, status } of this.#entries) {
      if (outcome === 'refused') counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    return counts;
  }
}
