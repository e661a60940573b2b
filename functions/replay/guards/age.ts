import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

/** Holds when the message has been parked for `minAgeMs` or longer: what failed just now may fail still. */
export function minAge(parkedAt: Reading<Date>, nowMs: number, minAgeMs: number): GuardAnswer {
  return judged('min-age', parkedAt, (at) => {
    const ageMs = nowMs - at.getTime();
    if (ageMs >= minAgeMs) return HOLDS;
    return refuses('min-age', `parked for ${ageMs} ms, at least ${minAgeMs} ms are asked for`);
  });
}

/** Holds when the message has been parked for `maxAgeMs` or less: the world may have moved on. */
export function maxAge(parkedAt: Reading<Date>, nowMs: number, maxAgeMs: number): GuardAnswer {
  return judged('max-age', parkedAt, (at) => {
    const ageMs = nowMs - at.getTime();
    if (ageMs <= maxAgeMs) return HOLDS;
    return refuses('max-age', `parked for ${ageMs} ms, at most ${maxAgeMs} ms are allowed`);
  });
}
