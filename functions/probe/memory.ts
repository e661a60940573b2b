/** What the probe remembers from run to run, as JSON in the claims table. */
export interface ProbeMemory {
  /** Epoch milliseconds of the last run that saw the broker. */
  readonly seenAtMs?: number;
  readonly parking: Readonly<Record<string, ParkingMemory>>;
  /** Wait queues no flow names any more, by name. */
  readonly retired: Readonly<Record<string, RetiredMemory>>;
}

/** Of one flow's parking queue. */
export interface ParkingMemory {
  /** When it was seen empty the last time before it filled; absent while empty. */
  readonly filledSinceMs?: number;
  readonly published: number;
  readonly acknowledged: number;
  /** Arrivals that no client published, as of the last run. */
  readonly unexplained: number;
  /** The most of them that two runs in a row agreed on. */
  readonly confirmed: number;
}

export interface RetiredMemory {
  readonly sinceMs: number;
  /** Runs in a row that saw a total of 0. */
  readonly emptyRuns: number;
}

export const NO_MEMORY: ProbeMemory = { parking: {}, retired: {} };

/** Reads what was kept; anything unreadable is forgotten, which costs one run of figures. */
export function parseMemory(text: string | undefined): ProbeMemory {
  try {
    const value: unknown = JSON.parse(text ?? '');
    const { parking, retired, seenAtMs } = value as Partial<ProbeMemory>;
    if (typeof parking !== 'object' || typeof retired !== 'object') return NO_MEMORY;
    return { ...NO_MEMORY, parking, retired, ...(seenAtMs === undefined ? {} : { seenAtMs }) };
  } catch {
    return NO_MEMORY;
  }
}
