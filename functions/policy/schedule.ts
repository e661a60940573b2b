import type { Schedule } from './types.ts';

/** The wait of deferrals where a schedule lists no delay at all. */
export const DEFERRAL_DELAY_MS = 10_000;

/** A wait the broker can give: the tier, and when the message may run again. */
export interface Wait {
  /** One of {@link laneDelays}: the wait queue to publish to. */
  readonly delayMs: number;
  /** Set when the wanted wait is longer than that tier: earlier returns take another lap. */
  readonly notBefore?: Date;
  /** When the handler would see the message again, laps included, if nothing is late. */
  readonly returnsAt: Date;
}

/** How long a failed message should wait, before it is fitted to the tiers. */
export interface WantedWait {
  /** 1-based: the first retry is 1. */
  readonly retry: number;
  /** 0-based index of the delay the first retry uses; past the end means the last. Default 0. */
  readonly fromTier?: number | undefined;
  /** Replaces the scheduled delay, as `RetryLater({ after })` does. Not clamped. */
  readonly insteadMs?: number | undefined;
  /** Retry-After: never shortened, except to the schedule's `maxRetryAfterMs`. */
  readonly floorMs?: number | undefined;
}

/** The longest wait before jitter; longer ones take laps through it. */
export function topDelayMs(schedule: Schedule): number {
  return Math.max(...tiers(schedule));
}

/** The tier of messages that were not handled: deferred, no attempt burned. */
export function deferralDelayMs(schedule: Schedule): number {
  return schedule.delaysMs[0] ?? DEFERRAL_DELAY_MS;
}

/** What the list says for one retry, without jitter. The last delay repeats. */
export function scheduledDelayMs(schedule: Schedule, retry: number, fromTier = 0): number {
  const delaysMs = schedule.delaysMs;
  const index = Math.max(0, Math.min(fromTier + retry - 1, delaysMs.length - 1));
  return delaysMs[index] ?? DEFERRAL_DELAY_MS;
}

/**
 * Fits a wait to the tiers: the smallest one that is long enough, else the top tier and a
 * `notBefore` for the laps. Jitter picks one of the tier's lanes and so only lengthens.
 * Values that are no numbers count as absent.
 *
 * @param random a number from 0 (inclusive) to 1 (exclusive), as `Math.random` gives
 */
export function chooseWait(
  schedule: Schedule,
  wanted: WantedWait,
  now: Date,
  random: () => number,
): Wait {
  const scheduledMs = scheduledDelayMs(schedule, wanted.retry, wanted.fromTier);
  const floorMs = Math.min(usable(wanted.floorMs) ?? 0, schedule.maxRetryAfterMs);
  const wantedMs = Math.max(usable(wanted.insteadMs) ?? scheduledMs, floorMs);

  const tierMs = smallestTierMs(schedule, wantedMs);
  const delayMs = laneDelayMs(tierMs, pickLane(schedule, random), schedule);
  const tookMs = delayMs + lapsMs(schedule, wantedMs - delayMs);
  const returnsAt = new Date(now.getTime() + tookMs);
  if (delayMs >= wantedMs) return { delayMs, returnsAt };
  return { delayMs, notBefore: new Date(now.getTime() + wantedMs), returnsAt };
}

/**
 * The tier of the next lap of a message that came back before its `x-retry-not-before`, or
 * `undefined` when it is due. Laps burn no attempt and take no jitter; only `maxElapsed` ends them,
 * see {@link returnsTooLate}.
 */
export function nextLap(
  notBefore: Date | undefined,
  now: Date,
  schedule: Schedule,
): number | undefined {
  const restMs = (notBefore?.getTime() ?? Number.NaN) - now.getTime();
  return restMs > 0 ? smallestTierMs(schedule, restMs) : undefined;
}

/**
 * Whether a message that would run again at `returnsAt` is past `maxElapsed`, counted from when it
 * was first given back (now, when this is the first time; a time in the future counts as now).
 * Holds for retries, laps and deferrals alike.
 */
export function returnsTooLate(
  schedule: Schedule,
  firstAt: Date | undefined,
  now: Date,
  returnsAt: Date,
): boolean {
  const nowMs = now.getTime();
  const fromMs = Math.min(firstAt?.getTime() ?? nowMs, nowMs);
  // Written so that a time that is no time counts as too late.
  return !(returnsAt.getTime() <= fromMs + schedule.maxElapsedMs);
}

/** Every wait the topology must have a queue for: all lanes of all tiers, sorted, each once. */
export function laneDelays(schedule: Schedule): number[] {
  const lanes = Array.from({ length: laneCount(schedule) }, (_, lane) => lane);
  const all = tiers(schedule).flatMap((delayMs) =>
    lanes.map((lane) => laneDelayMs(delayMs, lane, schedule)),
  );
  return [...new Set(all)].sort((a, b) => a - b);
}

/** How long a message that always fails waits in all: without jitter, and in the slowest lanes. */
export function totalWaitMs(schedule: Schedule): { plainMs: number; slowestMs: number } {
  let plainMs = 0;
  let slowestMs = 0;
  for (let retry = 1; retry < schedule.maxAttempts; retry += 1) {
    const delayMs = scheduledDelayMs(schedule, retry);
    plainMs += delayMs;
    slowestMs += laneDelayMs(delayMs, laneCount(schedule) - 1, schedule);
  }
  return { plainMs, slowestMs };
}

function tiers(schedule: Schedule): readonly number[] {
  return schedule.delaysMs.length > 0 ? schedule.delaysMs : [DEFERRAL_DELAY_MS];
}

function smallestTierMs(schedule: Schedule, wantedMs: number): number {
  const enough = tiers(schedule).filter((delayMs) => delayMs >= wantedMs);
  return enough.length > 0 ? Math.min(...enough) : topDelayMs(schedule);
}

/** How long laps take that start with `restMs` still to wait; 0 when nothing is left. */
function lapsMs(schedule: Schedule, restMs: number): number {
  if (restMs <= 0) return 0;
  const topMs = topDelayMs(schedule);
  const fullLapsMs = Math.max(0, Math.ceil(restMs / topMs) - 1) * topMs;
  return fullLapsMs + smallestTierMs(schedule, restMs - fullLapsMs);
}

function laneCount(schedule: Schedule): number {
  return Math.max(1, Math.floor(schedule.jitter.lanes));
}

/** Lane 0 is the tier itself, so that a flow without jitter has lane 0 only. */
function laneDelayMs(delayMs: number, lane: number, schedule: Schedule): number {
  return Math.round(delayMs * (1 + lane * schedule.jitter.spread));
}

function pickLane(schedule: Schedule, random: () => number): number {
  const lanes = laneCount(schedule);
  if (lanes === 1) return 0;
  const drawn = Math.floor(random() * lanes);
  // A source of random numbers that answers 1, or no number, must not name a queue nobody has.
  return drawn >= 0 && drawn < lanes ? drawn : 0;
}

/** A number of milliseconds that can be compared; Infinity can, and ends in `maxElapsed`. */
function usable(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 ? ms : undefined;
}
