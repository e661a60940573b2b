import type { Control, ControlPlan } from './control.ts';
import type { Invoked } from './mapping.ts';

/** Where one message was found when all was at rest. */
export interface Whereabouts {
  readonly id: string;
  readonly published: number;
  /** Side effects where the key is ignored, and where it is honoured. */
  readonly effects: number;
  readonly honoured: number;
  /** A completed record in the table; undefined where nobody keeps one. */
  readonly completed: boolean | undefined;
  /** Classes of its copies in the parking queue. */
  readonly parked: readonly string[];
  /** Runs of its handler that ended, by attempt number. */
  readonly attempts: readonly number[];
  /** Its records in invocations that failed or met a cut connection: each may leave one more copy. */
  readonly interruptions: number;
}

export interface Evidence {
  readonly published: readonly string[];
  readonly control: Control;
  readonly plan: ControlPlan;
  /** Ids with a completed record; undefined where none are kept. */
  readonly completed: ReadonlySet<string> | undefined;
  readonly parked: readonly { readonly messageId: string; readonly class: string }[];
  readonly invoked: readonly Invoked[];
  /** Times at which a connection or the table was disturbed from outside. */
  readonly disturbances: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Messages outside the parking queue, held by pollers included. */
  readonly inFlight: number;
  readonly maxAttempts: number;
}

export interface ChaosBooks {
  readonly messages: readonly Whereabouts[];
  /** In no final place. They are lost where nothing is in flight; see {@link lostCount}. */
  readonly lost: readonly string[];
  readonly inFlight: number;
  /** Done and parked. */
  readonly torn: readonly string[];
  /** More copies parked than publishes and interruptions account for. */
  readonly surplus: readonly string[];
  readonly overCap: readonly string[];
  /** Innocents parked as poison, and culprits that were not. */
  readonly wronglyConvicted: readonly string[];
  readonly appliedTwice: { readonly ignoring: number; readonly honouring: number };
}

/** Compares every id that was published with where it is, from what the broker, table and downstream show. */
export function keepBooks(evidence: Evidence): ChaosBooks {
  const messages = [...tally(evidence.published)].map(([id, n]) => whereaboutsOf(id, n, evidence));
  const idsOf = (test: (message: Whereabouts) => boolean) =>
    messages.filter(test).map(({ id }) => id);
  const { poison } = evidence.plan;
  return {
    messages,
    lost: idsOf((message) => !isDone(message) && message.parked.length === 0),
    torn: idsOf((message) => isDone(message) && message.parked.length > 0),
    inFlight: evidence.inFlight,
    surplus: idsOf(
      ({ parked, published, interruptions }) => parked.length > published + interruptions,
    ),
    overCap: idsOf((message) => isOverCap(message, evidence.maxAttempts)),
    wronglyConvicted: idsOf(({ id, parked }) =>
      poison.has(id)
        ? parked.some((name) => name !== 'poison')
        : parked.some((name) => name === 'poison'),
    ),
    appliedTwice: evidence.control.ledger.appliedTwice,
  };
}

/** Messages nobody can account for: what is still on its way at the broker is not lost. */
export function lostCount({ lost, inFlight }: ChaosBooks): number {
  return Math.max(0, lost.length - inFlight);
}

/** The effect happened, and where records are kept, there is one of it. */
export function isDone({ effects, completed }: Whereabouts): boolean {
  return effects > 0 && completed !== false;
}

/**
 * No run may carry a number above the cap. Runs that ended may be more than the cap only where a copy and
 * its original both lived: sent twice, or an invocation that was interrupted after the copy left.
 */
function isOverCap(
  { attempts, published, interruptions }: Whereabouts,
  maxAttempts: number,
): boolean {
  const lines = published + interruptions;
  return attempts.some((attempt) => attempt > maxAttempts) || attempts.length > maxAttempts * lines;
}

function whereaboutsOf(id: string, published: number, evidence: Evidence): Whereabouts {
  const { ledger } = evidence.control;
  return {
    id,
    published,
    effects: ledger.appliedAtIgnoring(id),
    honoured: ledger.appliedAtHonouring(id),
    completed: evidence.completed?.has(id),
    parked: evidence.parked.filter(({ messageId }) => messageId === id).map((copy) => copy.class),
    attempts: ledger.runsOf(id).map(({ attempt }) => attempt),
    interruptions: evidence.invoked
      .filter((invoked) => wasInterrupted(invoked, evidence))
      .flatMap(({ ids }) => ids.filter((other) => other === id)).length,
  };
}

/** An acknowledgement may still be on its way when the connection is cut under it. */
const ACK_ON_ITS_WAY_MS = 500;

function wasInterrupted({ failed, startedAtMs, endedAtMs }: Invoked, evidence: Evidence): boolean {
  if (failed !== undefined) return true;
  return evidence.disturbances.some(
    ({ fromMs, toMs }) => startedAtMs <= toMs && endedAtMs + ACK_ON_ITS_WAY_MS >= fromMs,
  );
}

function tally(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
