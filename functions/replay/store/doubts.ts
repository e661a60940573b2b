import type { MoveEntry } from './moves.ts';
import { expiryOf, numberOf, type Table, textOf } from './table.ts';

/** Long enough for anybody to look; a message parked for longer is decided by hand anyway. */
const KEEP_MS = 90 * 86_400_000;

export interface Doubt {
  readonly run: string;
  readonly messageId: string;
  readonly atMs: number;
}

/** Messages a run may have moved or not, remembered beyond the run. */
export interface Doubts {
  add(flow: string, run: string, entries: readonly MoveEntry[], nowMs: number): Promise<void>;
  /** By fingerprint. */
  load(flow: string): Promise<ReadonlyMap<string, Doubt>>;
}

export function createDoubts(table: Table): Doubts {
  return {
    async add(flow, run, entries, nowMs) {
      for (const { fingerprint, messageId } of entries) {
        await table.update(
          { pk: `doubt#${flow}`, sk: fingerprint },
          { set: { run, messageId, atMs: nowMs, expiresAt: expiryOf(nowMs, KEEP_MS) } },
        );
      }
    },
    async load(flow) {
      const items = await table.query(`doubt#${flow}`);
      return new Map(
        items.map((item) => [
          textOf(item, 'sk') ?? '',
          {
            run: textOf(item, 'run') ?? 'unknown',
            messageId: textOf(item, 'messageId') ?? '',
            atMs: numberOf(item, 'atMs') ?? 0,
          },
        ]),
      );
    },
  };
}
