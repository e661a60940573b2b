import type { ReplaySettings } from '../policy/types.ts';
import {
  failureClass,
  type GuardAnswer,
  HOLDS,
  lifetimeCap,
  maxAge,
  minAge,
  origin,
  type Reading,
  read,
  type SignatureRecord,
  signatureBackoff,
  uncertain,
  unreadable,
} from './guards.ts';
import type { ParkedFacts, RunOptions } from './types.ts';

/** What an earlier run left behind that concerns single messages, read once per scan. */
export interface Memory {
  /** Relapses by signature. */
  readonly relapses: Reading<ReadonlyMap<string, SignatureRecord>>;
  /** By fingerprint: the run that may have moved the message already. */
  readonly doubts: Reading<ReadonlyMap<string, string>>;
  /** By fingerprint: the run that has moved the message, whose original may still be there. */
  readonly moved: Reading<ReadonlyMap<string, string>>;
}

/** The guards of automatic replay that a message's headers decide, the first that does not hold. */
export function automaticGuards(
  facts: ParkedFacts,
  settings: ReplaySettings,
  memory: Memory,
  nowMs: number,
): GuardAnswer {
  const parkedAt: Reading<Date> =
    facts.parkedAt === undefined
      ? unreadable('nothing on the message says when it was parked')
      : read(facts.parkedAt);
  return firstRefusal(
    () => failureClass(facts.class, settings.automatic),
    () => origin(facts.origin, settings.acceptFrom),
    () => lifetimeCap(facts.replayCount, settings.lifetimeCap),
    () => minAge(parkedAt, nowMs, settings.minAgeMs),
    () => maxAge(parkedAt, nowMs, settings.maxAgeMs),
    () => signatureBackoff(lookUp(memory.relapses, facts.signature), nowMs),
    () => uncertain(movedOrInDoubt(facts, memory)),
  );
}

/** What a person's own selection must still respect, unless they say otherwise. */
export function manualGuards(
  facts: ParkedFacts,
  { acceptFrom }: Pick<ReplaySettings, 'acceptFrom'>,
  options: RunOptions,
  memory: Memory,
): GuardAnswer {
  return firstRefusal(
    () => (options.acceptUnknown === true ? HOLDS : origin(facts.origin, acceptFrom)),
    () => (options.includeUncertain === true ? HOLDS : uncertain(movedOrInDoubt(facts, memory))),
  );
}

/** Whether an earlier run has moved the message; only a copy of ours can't be mistaken for another. */
export function wasMoved({ own, fingerprint }: ParkedFacts, { moved }: Memory): boolean {
  return own && moved.kind === 'read' && moved.value.has(fingerprint);
}

function movedOrInDoubt(facts: ParkedFacts, memory: Memory): Reading<string | undefined> {
  const moved = lookUp(memory.moved, facts.fingerprint);
  if (facts.own && (moved.kind === 'unreadable' || moved.value !== undefined)) return moved;
  return lookUp(memory.doubts, facts.fingerprint);
}

/** Asks the guards in turn; the first refusal names the reason a message is skipped. */
export function firstRefusal(...guards: readonly (() => GuardAnswer)[]): GuardAnswer {
  for (const guard of guards) {
    const answer = guard();
    if (!answer.holds) return answer;
  }
  return HOLDS;
}

function lookUp<T>(from: Reading<ReadonlyMap<string, T>>, key: string): Reading<T | undefined> {
  return from.kind === 'read' ? read(from.value.get(key)) : from;
}
