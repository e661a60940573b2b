import type { LedgerEntry } from '../downstream/ledger.ts';

/** A message at rest in a parking queue, as its headers describe it. */
export interface ParkedMessage {
  readonly messageId: string;
  readonly class: string;
  /** The handler run it was parked after; 0 when no run of ours is known. */
  readonly attempt: number;
}

/** What was seen of the run, each figure at the place where it happened. */
export interface Evidence {
  /** Message ids the broker confirmed, one entry per publish. */
  readonly published: readonly string[];
  /** The downstream's name of the work → the message's id. */
  readonly messageIdByWorkId: ReadonlyMap<string, string>;
  /** What the downstreams saw. */
  readonly ledger: readonly LedgerEntry[];
  /** Read from the parking queues. */
  readonly parked: readonly ParkedMessage[];
  /** Message ids of log lines that say discarded. */
  readonly discarded: readonly string[];
  /** Message ids of log lines that say duplicate. */
  readonly duplicates: readonly string[];
  /** Message ids that automatic replay moved from parking back to the work queue. */
  readonly replayed: ReadonlySet<string>;
  /** Messages counted at the broker in queues that are not parking queues. */
  readonly inFlight: number;
  /** Invocations that failed, so that their batch came again. */
  readonly failedInvocations: number;
}

export interface Books {
  readonly published: number;
  readonly processed: number;
  readonly parked: number;
  readonly discarded: number;
  readonly duplicatesIgnored: number;
  /** Messages that were parked and put back by replay; wherever they ended, they are counted there. */
  readonly replayed: number;
  readonly inFlight: number;
  readonly lost: number;
  /** Parked messages by class. */
  readonly byClass: Readonly<Record<string, number>>;
  /** Messages processed or parked, by the attempt that ended them. */
  readonly attempts: Readonly<Record<string, number>>;
  /** Effects the downstream was asked for again after it had accepted them, and did not apply twice. */
  readonly repeated: number;
  /** Ids of messages nobody can account for. */
  readonly lostIds: readonly string[];
  /** Ids parked more often than they were published; a crash after the parking makes one. */
  readonly surplusIds: readonly string[];
  readonly balanced: boolean;
}

/**
 * Balances what was published against where it was found, by message id.
 *
 * A message is counted once per publish: first where it rests (parked), then by effect, then as
 * ignored duplicate or discarded. What a crash made happen again takes no second place; what cannot
 * be found anywhere is lost, however good the sums look. A copy too many in parking is explained by an
 * invocation that failed after it had parked the message, and by nothing else.
 */
export function reckon(evidence: Evidence): Books {
  const published = tally(evidence.published);
  const parked = tally(evidence.parked.map(({ messageId }) => messageId));
  const resting = counted(evidence.parked, published);
  const accepted = tally(acceptedIds(evidence));
  const duplicates = tally(evidence.duplicates);
  const discarded = tally(evidence.discarded);

  const sums = { processed: 0, discarded: 0, duplicatesIgnored: 0 };
  const lostIds: string[] = [];
  const surplusIds = [...parked.keys()].filter((id) => count(parked, id) > count(published, id));
  for (const [id, times] of published) {
    let open = Math.max(0, times - count(parked, id));
    const take = (from: ReadonlyMap<string, number>): number => {
      const taken = Math.min(open, count(from, id));
      open -= taken;
      return taken;
    };
    sums.processed += take(accepted);
    sums.duplicatesIgnored += take(duplicates);
    sums.discarded += take(discarded);
    for (let n = 0; n < open; n++) lostIds.push(id);
  }
  // What still waits at the broker is not lost yet.
  const lost = Math.max(0, lostIds.length - evidence.inFlight);
  return {
    published: evidence.published.length,
    ...sums,
    parked: resting.length,
    replayed: evidence.replayed.size,
    inFlight: evidence.inFlight,
    lost,
    byClass: Object.fromEntries(sorted(tally(resting.map((message) => message.class)))),
    attempts: attemptsOf(evidence.ledger, resting),
    repeated: evidence.ledger.filter(({ outcome }) => outcome === 'repeated').length,
    lostIds,
    surplusIds,
    balanced:
      lostIds.length === 0 &&
      evidence.inFlight === 0 &&
      surplusIds.every((id) => published.has(id) && evidence.failedInvocations > 0),
  };
}

function acceptedIds({ ledger, messageIdByWorkId }: Evidence): string[] {
  return ledger
    .filter(({ outcome }) => outcome !== 'refused')
    .map(({ workId }) => messageIdByWorkId.get(workId) ?? workId);
}

/** The parked messages that count, one per publish: of several copies the last, which knows most. */
function counted(
  parked: readonly ParkedMessage[],
  published: ReadonlyMap<string, number>,
): readonly ParkedMessage[] {
  const open = new Map(published);
  return parked
    .toReversed()
    .filter(({ messageId }) => {
      const left = count(open, messageId);
      open.set(messageId, left - 1);
      return left > 0;
    })
    .toReversed();
}

/** Which attempt ended a message; an effect repeated after a crash is not another message. */
function attemptsOf(
  ledger: readonly LedgerEntry[],
  parked: readonly ParkedMessage[],
): Record<string, number> {
  const ends = ledger
    .filter(({ outcome }) => outcome === 'applied')
    .map(({ attempt }) => attempt ?? 1);
  ends.push(...parked.map(({ attempt }) => attempt).filter((attempt) => attempt > 0));
  const byNumber = [...tally(ends)].sort(([a], [b]) => a - b);
  return Object.fromEntries(byNumber.map(([attempt, times]) => [String(attempt), times]));
}

function tally<Key>(keys: Iterable<Key>): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function count(counts: ReadonlyMap<string, number>, id: string): number {
  return counts.get(id) ?? 0;
}

function sorted(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b));
}
