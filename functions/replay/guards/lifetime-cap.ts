import { type GuardAnswer, HOLDS, refuses } from './types.ts';

/** Holds while the message was replayed fewer than `cap` times in its life; nothing resets the count. */
export function lifetimeCap(replays: number, cap: number): GuardAnswer {
  return replays < cap
    ? HOLDS
    : refuses('lifetime-cap', `replayed ${replays} times, the cap is ${cap}`);
}
