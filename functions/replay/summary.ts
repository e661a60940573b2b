import type { GuardAnswer, GuardName } from './guards.ts';
import type { GroupCount, ParkedFacts, Summary } from './types.ts';

/** Groups listed; a queue with more kinds of failure than this says how many are left out. */
const MAX_GROUPS = 50;

const HOUR_MS = 3_600_000;
const AGES: readonly (readonly [name: string, belowMs: number])[] = [
  ['<15m', HOUR_MS / 4],
  ['<1h', HOUR_MS],
  ['<6h', 6 * HOUR_MS],
  ['<1d', 24 * HOUR_MS],
  ['<3d', 72 * HOUR_MS],
  ['older', Number.POSITIVE_INFINITY],
];

interface Group {
  facts: ParkedFacts;
  count: number;
  selected: number;
  failedAgain: number;
  first: Date | undefined;
  last: Date | undefined;
  automatic: number;
  skipped: Partial<Record<GuardName, number>>;
}

/** Counts parked messages by class and signature, and by age. Keeps one sample of each group. */
export class Summariser {
  readonly #groups = new Map<string, Group>();
  readonly #byClass: Record<string, number> = {};
  readonly #byAge: Record<string, number> = {};
  readonly #nowMs: number;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** @param automatic what the guards of automatic replay say of this message */
  add(facts: ParkedFacts, selected: boolean, automatic: GuardAnswer): void {
    this.#byClass[facts.class] = (this.#byClass[facts.class] ?? 0) + 1;
    const age = ageName(facts.parkedAt, this.#nowMs);
    this.#byAge[age] = (this.#byAge[age] ?? 0) + 1;
    const group = this.#groupOf(facts);
    group.count += 1;
    if (selected) group.selected += 1;
    if (facts.replayCount > 0) group.failedAgain += 1;
    const at = facts.parkedAt;
    if (at !== undefined) {
      if (group.first === undefined || at < group.first) group.first = at;
      if (group.last === undefined || at > group.last) group.last = at;
    }
    if (automatic.holds) group.automatic += 1;
    else group.skipped[automatic.guard] = (group.skipped[automatic.guard] ?? 0) + 1;
  }

  /** Largest groups first. */
  summary(): Summary {
    const sorted = [...this.#groups.values()].sort((a, b) => b.count - a.count);
    const more = sorted.slice(MAX_GROUPS);
    return {
      groups: sorted.slice(0, MAX_GROUPS).map(groupCount),
      moreGroups: { groups: more.length, messages: more.reduce((n, { count }) => n + count, 0) },
      byClass: { ...this.#byClass },
      byAge: { ...this.#byAge },
    };
  }

  #groupOf(facts: ParkedFacts): Group {
    const key = `${facts.class}\0${facts.signature}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = {
        facts,
        count: 0,
        selected: 0,
        failedAgain: 0,
        first: undefined,
        last: undefined,
        automatic: 0,
        skipped: {},
      };
      this.#groups.set(key, group);
    }
    return group;
  }
}

/** Name of the age band; `unknown` when nothing on the message says when it was parked. */
export function ageName(parkedAt: Date | undefined, nowMs: number): string {
  if (parkedAt === undefined) return 'unknown';
  const ageMs = nowMs - parkedAt.getTime();
  return AGES.find(([, belowMs]) => ageMs < belowMs)?.[0] ?? 'older';
}

function groupCount(group: Group): GroupCount {
  const { facts, first, last } = group;
  return {
    class: facts.class,
    signature: facts.signature,
    count: group.count,
    selected: group.selected,
    failedAgain: group.failedAgain,
    firstAt: first?.toISOString(),
    lastAt: last?.toISOString(),
    errorName: facts.errorName,
    sample: { messageId: facts.messageId, errorMessage: facts.errorMessage },
    automatic: group.automatic,
    skipped: group.skipped,
  };
}
