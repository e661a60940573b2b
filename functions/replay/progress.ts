import { markIn } from './fingerprint.ts';
import { Bag, type Selection } from './selection.ts';
import type { DoneEntry, LeftEntry, MoveEntry, Moves } from './store/moves.ts';
import type { Standing } from './store/runs.ts';
import type { LeftoverReason } from './types.ts';

/** What to do with a message a scan has met. */
export type Fate =
  /** Planned, and nothing was done with it yet. */
  | 'move'
  /** Its copy is out already: this original is what remained of a broken move. */
  | 'superseded'
  /** May have been moved or not. */
  | 'doubt'
  /** Not planned, or left for a reason. */
  | 'leave';

/**
 * What a run has done and has still to do; the same for its own worker and for one that adopted it.
 * Nothing that was ever about to be published is published a second time by the run.
 */
export class Progress {
  readonly #remaining: Bag;
  readonly #doubts = new Bag();
  readonly #doubtEntries = new Map<string, MoveEntry>();
  readonly #moved = new Map<string, MoveEntry>();
  readonly #left: LeftEntry[] = [];
  readonly #movedByOthers: ReadonlyMap<string, string>;
  readonly #marks = new Set<string>();
  readonly #counts = {
    moved: 0,
    'presumed-moved': 0,
    duplicate: 0,
    superseded: 0,
    discarded: 0,
  };
  readonly #presumed: MoveEntry[] = [];
  #slices = 0;
  /** Acknowledgements may not have reached the broker: originals of moved messages may still be there. */
  unsure = false;
  /** Doubts were given a moment to clear up, and were looked at once more. */
  lookedAgain = false;
  depthBefore: number | undefined;
  depthAfter: number | undefined;

  /** @param movedByOthers fingerprints of messages earlier runs have moved, each with its run */
  constructor(
    selection: Selection,
    before: Moves,
    standing?: Standing,
    movedByOthers: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#movedByOthers = movedByOthers;
    for (const fingerprint of selection) this.#marks.add(markIn(fingerprint));
    for (const fingerprint of movedByOthers.keys()) this.#marks.add(markIn(fingerprint));
    this.#remaining = new Bag(selection);
    this.depthBefore = standing?.depthBefore;
    this.#slices = standing?.counters.slices ?? 0;
    const intended = new Bag(before.intended.map(({ fingerprint }) => fingerprint));
    for (const { fingerprint } of before.withdrawn) intended.take(fingerprint);
    // A worker that could not write down its withdrawal intended twice: never more than was selected.
    const planned = new Bag(selection);
    const open = new Bag(intended.list().filter((fingerprint) => planned.take(fingerprint)));
    for (const entry of before.done) {
      const resolvesDoubt =
        entry.deed === 'presumed-moved' ||
        (entry.deed === 'superseded' && !this.#moved.has(entry.fingerprint));
      if (entry.deed === 'moved' || resolvesDoubt) open.take(entry.fingerprint);
      if (entry.deed !== 'superseded' || resolvesDoubt) this.#remaining.take(entry.fingerprint);
      this.done(entry);
    }
    for (const entry of before.left) {
      open.take(entry.fingerprint);
      this.#remaining.take(entry.fingerprint);
      this.left(entry);
    }
    // Intended, and neither done nor left: the worker that wrote it died, or lost its broker.
    const entries = new Map(before.intended.map((entry) => [entry.fingerprint, entry]));
    for (const fingerprint of open.list()) {
      this.#remaining.take(fingerprint);
      const entry = entries.get(fingerprint);
      if (entry !== undefined) this.doubt(entry);
    }
  }

  /** False: a message with this mark is neither planned nor was it ever touched, so it stays. */
  mayConcern(mark: string): boolean {
    return this.#marks.has(mark);
  }

  /** Asked once for each message of a scan that may be concerned; a planned message is taken by being asked for. */
  fateOf(fingerprint: string): Fate {
    if (this.#remaining.take(fingerprint)) return 'move';
    if (this.#doubts.has(fingerprint)) return 'doubt';
    const isOut = this.#moved.has(fingerprint) || this.#movedByOthers.has(fingerprint);
    return isOut ? 'superseded' : 'leave';
  }

  /** A message that was taken and not dealt with: the next slice meets it again. */
  putBack(fingerprint: string): void {
    this.#remaining.add(fingerprint);
  }

  done(entry: DoneEntry): void {
    this.#counts[entry.deed] += 1;
    if (entry.deed === 'moved') this.#moved.set(entry.fingerprint, entry);
    if (entry.deed === 'presumed-moved') this.#presumed.push(entry);
    if (entry.deed === 'superseded' || entry.deed === 'presumed-moved') {
      this.#doubts.take(entry.fingerprint);
    }
  }

  left(entry: LeftEntry): void {
    this.#left.push(entry);
  }

  doubt(entry: MoveEntry): void {
    this.#doubts.add(entry.fingerprint);
    this.#doubtEntries.set(entry.fingerprint, entry);
  }

  sliceBegan(): void {
    this.#slices += 1;
  }

  get movedCount(): number {
    return this.#counts.moved + this.#counts['presumed-moved'];
  }

  get remainingCount(): number {
    return this.#remaining.size;
  }

  get doubtCount(): number {
    return this.#doubts.size;
  }

  /** True when a scan can stop at the last planned message: nothing else is worth a look. */
  get onlyPlanned(): boolean {
    return !this.unsure && this.#doubts.size === 0;
  }

  /** Everything dealt with so far, for a check whether a slice got anywhere. */
  get settledCount(): number {
    const { duplicate, superseded, discarded } = this.#counts;
    return this.movedCount + duplicate + superseded + discarded + this.#left.length;
  }

  /** A message that was parked twice has one outcome for both. */
  get outcomesExpected(): number {
    return new Set(this.movedEntries().map(({ messageId }) => messageId)).size;
  }

  movedEntries(): readonly MoveEntry[] {
    return [...this.#moved.values(), ...this.#presumed];
  }

  doubts(): readonly MoveEntry[] {
    return this.#doubts.list().flatMap((id) => this.#doubtEntries.get(id) ?? []);
  }

  /** Fingerprints of what was planned and never met. */
  remaining(): readonly string[] {
    return this.#remaining.list();
  }

  /** @param rest why what remains was not moved; absent while the run goes on */
  standing(rest?: LeftoverReason): Standing {
    const leftovers: Partial<Record<LeftoverReason, number>> = {};
    const add = (reason: LeftoverReason, count: number) => {
      if (count > 0) leftovers[reason] = (leftovers[reason] ?? 0) + count;
    };
    for (const { reason } of this.#left) add(reason, 1);
    add('uncertain', this.#doubts.size);
    if (rest !== undefined) add(rest, this.#remaining.size);
    const { duplicate, superseded, discarded } = this.#counts;
    return {
      counters: {
        moved: this.movedCount,
        duplicates: duplicate,
        superseded,
        discarded,
        failed: this.#left.length + this.#doubts.size,
        slices: this.#slices,
      },
      leftovers,
      ...(this.depthBefore === undefined ? {} : { depthBefore: this.depthBefore }),
      ...(this.depthAfter === undefined ? {} : { depthAfter: this.depthAfter }),
    };
  }
}
