import type { Place } from './faults.ts';

/** One call of a handler that reached the downstream. */
export interface Call {
  readonly id: string;
  readonly key: string;
  readonly attempt: number;
  readonly place: Place;
  readonly pid: number;
}

export interface LedgerEntry extends Call {
  /** False: the downstream refused, so nothing was applied anywhere. */
  readonly accepted: boolean;
}

/** A run that was cut off between its side effect and the record of it. */
export interface CutRun {
  readonly id: string;
  readonly pid: number;
}

/**
 * Two downstreams in one, fed by the same calls: one ignores the idempotency key and applies whatever it
 * is asked, one honours it. Also knows which runs of a process were between effect and record when it died.
 */
export class DownstreamLedger {
  readonly entries: LedgerEntry[] = [];
  readonly #ignoring = new Map<string, number>();
  readonly #keys = new Set<string>();
  readonly #honouring = new Map<string, number>();
  readonly #open = new Map<number, Set<string>>();
  readonly #cut: CutRun[] = [];

  call(call: Call, accepted: boolean): void {
    this.entries.push({ ...call, accepted });
    if (!accepted) return;
    this.#ignoring.set(call.id, this.appliedAtIgnoring(call.id) + 1);
    const open = this.#open.get(call.pid) ?? new Set();
    this.#open.set(call.pid, open.add(call.id));
    if (this.#keys.has(call.key)) return;
    this.#keys.add(call.key);
    this.#honouring.set(call.id, this.appliedAtHonouring(call.id) + 1);
  }

  /** The process has recorded that the message is done. */
  completed(pid: number, id: string): void {
    this.#open.get(pid)?.delete(id);
  }

  /** The process is gone: what it had not recorded by now, it never will. */
  died(pid: number): void {
    for (const id of this.#open.get(pid) ?? []) this.#cut.push({ id, pid });
    this.#open.delete(pid);
  }

  /** How often the side effect happened where the key is ignored. */
  appliedAtIgnoring(id: string): number {
    return this.#ignoring.get(id) ?? 0;
  }

  /** How often the side effect happened where the key is honoured. */
  appliedAtHonouring(id: string): number {
    return this.#honouring.get(id) ?? 0;
  }

  /** Side effects beyond the first of each message. */
  get appliedTwice(): { readonly ignoring: number; readonly honouring: number } {
    return { ignoring: surplus(this.#ignoring), honouring: surplus(this.#honouring) };
  }

  get cutRuns(): readonly CutRun[] {
    return this.#cut;
  }

  /** Runs that ended (accepted or refused) for this message. */
  runsOf(id: string): readonly LedgerEntry[] {
    return this.entries.filter((entry) => entry.id === id);
  }
}

function surplus(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const times of counts.values()) total += times - 1;
  return total;
}
