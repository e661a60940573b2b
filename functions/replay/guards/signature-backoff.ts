import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

/** How often, and when last, messages of one signature failed again after a replay. */
export interface SignatureRecord {
  readonly failures: number;
  readonly lastFailedAtMs: number;
}

const BASE_MS = 3_600_000;
const MAX_MS = 24 * BASE_MS;

/** Until when a signature rests: an hour after its first relapse, doubled by each further one, a day at most. */
export function restsUntilMs({ failures, lastFailedAtMs }: SignatureRecord): number {
  if (failures <= 0) return 0;
  return lastFailedAtMs + Math.min(MAX_MS, BASE_MS * 2 ** (Math.min(failures, 32) - 1));
}

/** Holds when the signature had no relapse, or has rested for it. */
export function signatureBackoff(
  record: Reading<SignatureRecord | undefined>,
  nowMs: number,
): GuardAnswer {
  return judged('signature-backoff', record, (relapses) => {
    if (relapses === undefined) return HOLDS;
    const untilMs = restsUntilMs(relapses);
    if (nowMs >= untilMs) return HOLDS;
    const until = new Date(untilMs).toISOString();
    return refuses(
      'signature-backoff',
      `failed again after ${relapses.failures} replays, rests until ${until}`,
    );
  });
}
