import { replayCopyOf } from '../message/replay-copy.ts';
import type { OutgoingCopy } from '../message/types.ts';
import { inProgress } from './guards.ts';
import { stampedId } from './parked-facts.ts';
import { publishFailure } from './publish-failure.ts';
import { recordDone, recordLeft } from './records.ts';
import type { DoneEntry, LeftEntry } from './store/moves.ts';
import { entryOf, type Item, type Slice } from './work.ts';

/** How long one publish may take; the slice's own deadline may come first. */
const PUBLISH_MS = 30_000;

/** Messages published without a pause. */
const BURST = 250;

/** What came of a chunk, once everything of it is settled and written down. */
export interface ChunkEnd {
  readonly tried: number;
  readonly moved: number;
  /** Messages nothing was sent of: the broker is away. */
  readonly later: number;
  readonly detail: string | undefined;
}

/** A chunk of which it is written down what is about to be published. */
export interface StagedChunk {
  /**
   * Publishes it, in order; resolves when all is on its way. The second half waits for the confirms
   * and writes down what was moved, so the next chunk may be published meanwhile, never earlier.
   */
  publish(): Promise<() => Promise<ChunkEnd>>;
  /** Instead of publishing: says that nothing of it was sent, and leaves it to another slice. */
  abandon(): Promise<void>;
}

/**
 * Asks what became of the messages already, and writes down which of them are about to be published:
 * a worker that adopts the run publishes none of those again unless it knows they never were.
 */
export async function stageChunk(slice: Slice, items: readonly Item[]): Promise<StagedChunk> {
  const { ports, flow, lease, run } = slice;
  const sorted = await sortOut(slice, items);
  const { wanted } = sorted;
  if (wanted.length > 0) {
    await ports.store.moves.intend(lease, wanted.map(entryOf), ports.now());
    if (run.plan.mode === 'automatic') {
      await ports.store.budget.spend(flow.name, wanted.length, ports.now());
    }
  }
  return {
    publish: () => publishChunk(slice, sorted),
    abandon: async () => {
      const { duplicates, busy } = sorted;
      stay(slice, [...duplicates, ...busy, ...wanted]);
      if (wanted.length > 0) {
        await ports.store.moves.withdraw(lease, wanted.map(entryOf), ports.now());
      }
    },
  };
}

async function publishChunk(
  slice: Slice,
  { wanted, duplicates, busy }: Sorted,
): Promise<() => Promise<ChunkEnd>> {
  const { ports, limiter, parking, stop } = slice;
  for (const { tag } of duplicates) parking.ack(tag);
  for (const { tag } of busy) parking.hold(tag);
  const sent: Promise<unknown>[] = [];
  for (const [n, item] of wanted.entries()) {
    const waitMs = limiter.take(ports.now());
    if (waitMs > 0) await ports.wait(waitMs, stop.signal);
    // Asked here as well: a timer comes late when there is much to do.
    if (ports.now() >= slice.deadlineAtMs) stop.because({ kind: 'slice-over' });
    if (stop.reason !== undefined || parking.lost !== undefined) break;
    sent.push(send(slice, item));
    // Lets what was published leave, and confirms and deliveries come in, while the rest is prepared.
    if (n % BURST === BURST - 1) await ports.breathe();
  }
  return async () => {
    const end = sift(slice, wanted, await Promise.all(sent));
    const done = duplicates.map((item) => ({ ...entryOf(item), deed: 'duplicate' as const }));
    const left = busy.map(({ because, ...item }) => ({
      ...entryOf(item),
      reason: 'in-progress' as const,
      detail: because,
    }));
    stay(slice, end.unsent);
    // Confirmed is confirmed: it is written down even when the acknowledgement can't arrive.
    await settle(slice);
    await recordDone(slice, [...done, ...end.moved]);
    await recordLeft(slice, [...left, ...end.left]);
    if (end.unsent.length > 0) {
      await ports.store.moves.withdraw(slice.lease, end.unsent.map(entryOf), ports.now());
    }
    const { detail, later } = end;
    return { tried: sent.length, moved: end.moved.length, later, detail };
  };
}

/** What came of each publish. `results` may be shorter than `wanted`: the rest was not sent. */
function sift(slice: Slice, wanted: readonly Item[], results: readonly unknown[]) {
  const moved: DoneEntry[] = [];
  const left: LeftEntry[] = [];
  const unsent: Item[] = wanted.slice(results.length);
  let later = 0;
  let detail: string | undefined;
  for (const [n, item] of wanted.slice(0, results.length).entries()) {
    const error = results[n];
    if (error === undefined) {
      moved.push({ ...entryOf(item), deed: 'moved' });
      continue;
    }
    slice.parking.hold(item.tag);
    const failure = publishFailure(error);
    detail = failure.detail;
    switch (failure.kind) {
      case 'left':
        left.push({ ...entryOf(item), reason: failure.reason, detail: failure.detail });
        break;
      case 'doubt':
        slice.progress.doubt(entryOf(item));
        break;
      case 'later':
        later += 1;
        unsent.push(item);
        break;
    }
  }
  return { moved, left, unsent, later, detail };
}

/** They stay where they are; another slice meets them again. */
function stay({ parking, progress }: Slice, items: readonly Item[]): void {
  for (const { tag, fingerprint } of items) {
    parking.hold(tag);
    progress.putBack(fingerprint);
  }
}

/** Waits until the broker has read the acknowledgements; when it can't, originals may still be there. */
export async function settle({ parking, progress }: Slice): Promise<void> {
  try {
    await parking.settle();
  } catch {
    progress.unsure = true;
  }
}

interface Sorted {
  readonly wanted: readonly Item[];
  readonly duplicates: readonly Item[];
  readonly busy: readonly (Item & { readonly because: string })[];
}

/** Asks the idempotency records: what is done already is not sent again, and what is being done waits. */
async function sortOut(slice: Slice, items: readonly Item[]): Promise<Sorted> {
  const states = await slice.ports.workStates(
    slice.flow,
    items.map(({ message }) => message),
  );
  const wanted: Item[] = [];
  const duplicates: Item[] = [];
  const busy: (Item & { readonly because: string })[] = [];
  for (const [n, item] of items.entries()) {
    const state = states[n] ?? { kind: 'unreadable', why: 'no answer' };
    const answer = inProgress(state);
    if (!answer.holds) busy.push({ ...item, because: answer.because });
    else if (state.kind === 'read' && state.value === 'completed') duplicates.push(item);
    else wanted.push(item);
  }
  return { wanted, duplicates, busy };
}

/** Resolves to undefined, or to the error that kept the message from being moved. */
function send(slice: Slice, item: Item): Promise<unknown> {
  const { ports, deadlineAtMs } = slice;
  try {
    const byMs = Math.min(deadlineAtMs, ports.now() + PUBLISH_MS);
    return ports.publish(copyFor(slice, item), byMs).then(() => slice.parking.ack(item.tag), given);
  } catch (error) {
    return Promise.resolve(error);
  }
}

function given(error: unknown): unknown {
  return error ?? new Error('no reason was given');
}

function copyFor({ ports, flow, run, order }: Slice, item: Item): OutgoingCopy {
  const stamp = {
    run: run.id,
    at: new Date(ports.now()),
    by: order.by,
    reason: order.reason,
    ...(order.ticket === undefined ? {} : { ticket: order.ticket }),
    messageIdIfMissing: stampedId(item.fingerprint),
    ignoreDeadline: run.plan.options.ignoreDeadline === true,
  };
  return replayCopyOf(item.message, stamp, flow.queue);
}
