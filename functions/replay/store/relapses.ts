import type { SignatureRecord } from '../guards.ts';
import { expiryOf, numberOf, type Table, textOf } from './table.ts';

/** A signature that was quiet for this long starts from nothing. */
const KEEP_MS = 30 * 86_400_000;

/** How often messages of a signature failed again after a replay. */
export interface Relapses {
  load(flow: string): Promise<ReadonlyMap<string, SignatureRecord>>;
  add(flow: string, signature: string, nowMs: number): Promise<void>;
  /** Replays of the signature went well: it no longer rests. */
  forget(flow: string, signature: string): Promise<void>;
}

export function createRelapses(table: Table): Relapses {
  const keyOf = (flow: string, signature: string) => ({ pk: `relapse#${flow}`, sk: signature });
  return {
    async load(flow) {
      const items = await table.query(`relapse#${flow}`);
      return new Map(
        items.map((item) => {
          const failures = numberOf(item, 'failures') ?? 0;
          const lastFailedAtMs = numberOf(item, 'lastFailedAtMs') ?? 0;
          return [textOf(item, 'sk') ?? '', { failures, lastFailedAtMs }] as const;
        }),
      );
    },
    async add(flow, signature, nowMs) {
      await table.update(keyOf(flow, signature), {
        set: { lastFailedAtMs: nowMs, expiresAt: expiryOf(nowMs, KEEP_MS) },
        add: { failures: 1 },
      });
    },
    forget: (flow, signature) => table.delete(keyOf(flow, signature)),
  };
}
