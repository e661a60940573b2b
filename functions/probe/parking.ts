import type { QueueFigures } from './figures.ts';
import type { ParkingMemory } from './memory.ts';

export interface ParkingReading {
  /** Absent: not known this time. */
  readonly depth?: number;
  /** How long the oldest message may have been there, in seconds: at least as long as it was. */
  readonly ageSeconds?: number;
  /** Messages the broker itself moved here since the last run. */
  readonly deadLettered?: number;
  readonly memory?: ParkingMemory;
}

/**
 * Reads a parking queue from its totals alone; no message is ever looked at.
 *
 * Age counts from the last run that saw the queue empty, so it is never too small. A queue that is
 * emptied only in part keeps its age.
 *
 * Dead letters: depth + acknowledged − published, since dead letters arrive without being published.
 * The three figures are some seconds apart, so an increase counts once two runs in a row show it.
 * Counters that went back mean that the broker restarted: counting starts again.
 */
export function readParking(
  figures: QueueFigures | undefined,
  before: ParkingMemory | undefined,
  nowMs: number,
  lastRunMs: number | undefined,
): ParkingReading {
  const { messages: depth, published, acknowledged } = figures ?? {};
  if (depth === undefined || published === undefined || acknowledged === undefined) {
    return before === undefined ? {} : { memory: before };
  }
  const unexplained = depth + acknowledged - published;
  const restarted =
    before === undefined || published < before.published || acknowledged < before.acknowledged;
  const agreed = restarted ? unexplained : Math.min(unexplained, before.unexplained);
  const confirmed = restarted ? unexplained : Math.max(agreed, before.confirmed);
  const filledSinceMs = depth === 0 ? undefined : (before?.filledSinceMs ?? lastRunMs ?? nowMs);
  return {
    depth,
    ageSeconds: filledSinceMs === undefined ? 0 : Math.max(0, (nowMs - filledSinceMs) / 1_000),
    deadLettered: restarted ? 0 : confirmed - before.confirmed,
    memory: {
      published,
      acknowledged,
      unexplained,
      confirmed,
      ...(filledSinceMs === undefined ? {} : { filledSinceMs }),
    },
  };
}
