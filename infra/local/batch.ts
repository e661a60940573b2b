/** What closes a batch; AWS documents all three. */
export interface BatchLimits {
  readonly size: number;
  /** How long a batch that is not full waits for more, counted from its first record. */
  readonly windowMs: number;
  readonly payloadBytes: number;
}

/** Lambda's limit for the payload of one invocation: 6 MB. */
export const PAYLOAD_LIMIT_BYTES = 6 * 1024 * 1024;

/** Room for what surrounds the records in the event: names, ARN, brackets. */
const ENVELOPE_BYTES = 2048;

interface Held {
  readonly bytes: number;
  readonly arrivedAtMs: number;
}

/** What to do with the records at hand: invoke with the first `count`, or wait, or drop the first. */
export type BatchDecision =
  | { readonly kind: 'invoke'; readonly count: number }
  | { readonly kind: 'wait'; readonly forMs: number }
  /** The first record alone is over the payload limit. Lambda drops such a record. */
  | { readonly kind: 'drop' }
  | { readonly kind: 'empty' };

/**
 * Decides like the event source mapping: a batch closes when it is full, when the next record would
 * pass the payload limit, or when its window is over. Pure: the clock is handed in.
 */
export function decideBatch(
  held: readonly Held[],
  limits: BatchLimits,
  nowMs: number,
): BatchDecision {
  const first = held[0];
  if (first === undefined) return { kind: 'empty' };
  const room = limits.payloadBytes - ENVELOPE_BYTES;
  if (first.bytes > room) return { kind: 'drop' };

  let count = 0;
  let bytes = 0;
  for (const record of held) {
    if (count === limits.size) break;
    bytes += record.bytes + 1;
    if (bytes > room) return { kind: 'invoke', count };
    count++;
  }
  const remainingMs = first.arrivedAtMs + limits.windowMs - nowMs;
  if (count === limits.size || remainingMs <= 0) return { kind: 'invoke', count };
  return { kind: 'wait', forMs: remainingMs };
}
