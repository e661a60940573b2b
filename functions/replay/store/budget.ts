import { expiryOf, numberOf, type Table } from './table.ts';

const HOUR_MS = 3_600_000;
/** The past hour is counted in buckets of this length, the one it begins in as a whole. */
const BUCKET_MS = 5 * 60_000;

/** How many messages automatic replay moved lately. Only the holder of a flow's lease spends. */
export interface Budget {
  /** Messages booked within the past hour; a little more, never less. */
  used(flow: string, nowMs: number): Promise<number>;
  /** Books messages before they are moved. What is not moved after all is not given back. */
  spend(flow: string, count: number, nowMs: number): Promise<void>;
}

export function createBudget(table: Table): Budget {
  return {
    async used(flow, nowMs) {
      const items = await table.query(`budget#${flow}`, {
        from: bucketOf(nowMs - HOUR_MS),
        to: bucketOf(nowMs + HOUR_MS),
      });
      return items.reduce((sum, item) => sum + (numberOf(item, 'spent') ?? 0), 0);
    },
    async spend(flow, count, nowMs) {
      await table.update(
        { pk: `budget#${flow}`, sk: bucketOf(nowMs) },
        { add: { spent: count }, set: { expiresAt: expiryOf(nowMs, 3 * HOUR_MS) } },
      );
    },
  };
}

function bucketOf(atMs: number): string {
  return new Date(Math.floor(atMs / BUCKET_MS) * BUCKET_MS).toISOString();
}
