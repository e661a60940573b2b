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

/** What came of a chunk, once everything of it is settled and written down. */
export interface ChunkEnd {
  readonly tried: number;
  readonly moved: number;
  /** Messages nothing was sent of: the broker is away. */
  readonly later: number;
  readonly detail: string | undefined;
}

/**
 * Moves a chunk of messages, in their order, pipelined. First it is written down what is about to be
 * published; resolves to the second half, which waits for the confirms, acknowledges what was confirmed
 * and not returned, and writes that down. So the next chunk may be published meanwhile, never earlier.
 */
export async function replayChunk(
  slice: Slice,
  items: readonly Item[],
): Promise<() => Promise<ChunkEnd>> {
  const { ports, flow, lease, progress, run, limiter } = slice;
  const { wanted, duplicates, busy } = await sortOut(slice, items);
  if (wanted.length > 0) {
    await ports.store.moves.intend(lease, wanted.map(entryOf), ports.now());
    if (run.plan.mode === 'automatic') {
      await ports.store.budget.spend(flow.name, wanted.length, ports.now());
    }
  }
  for (const { tag } of duplicates) slice.parking.ack(tag);
  for (const { tag } of busy) slice.parking.hold(tag);
  const done: DoneEntry[] = duplicates.map((item) => ({ ...entryOf(item), deed: 'duplicate' }));
  const left: LeftEntry[] = busy.map(({ because, ...item }) => ({
    ...entryOf(item),
    reason: 'in-progress',
    detail: because,
  }));
  const sent: Promise<unknown>[] = [];
  let unsent: readonly Item[] = [];
  for (const [n, item] of wanted.entries()) {
    const waitMs = limiter.take(ports.now());
    if (waitMs > 0) await ports.wait(waitMs, slice.stop.signal);
    if (slice.stop.reason !== undefined || slice.parking.lost !== undefined) {
      unsent = wanted.slice(n);
      break;
    }
    sent.push(send(slice, item));
  }
  return async () => {
    const results = await Promise.all(sent);
    let later = 0;
    let detail: string | undefined;
    for (const [n, error] of results.entries()) {
      const item = wanted[n];
      if (item === undefined) continue;
      if (error === undefined) {
        slice.parking.ack(item.tag);
        done.push({ ...entryOf(item), deed: 'moved' });
        continue;
      }
      slice.parking.hold(item.tag);
      const failure = publishFailure(error);
      detail = failure.detail;
      if (failure.kind === 'left') {
        left.push({ ...entryOf(item), reason: failure.reason, detail: failure.detail });
      } else if (failure.kind === 'doubt') {
        progress.doubt(entryOf(item));
      } else {
        later += 1;
        progress.putBack(item.fingerprint);
      }
    }
    for (const { fingerprint, tag } of unsent) {
      slice.parking.hold(tag);
      progress.putBack(fingerprint);
    }
    // Confirmed is confirmed: it is written down even when the acknowledgement can't arrive.
    await settle(slice);
    await recordDone(slice, done);
    await recordLeft(slice, left);
    const moved = done.filter(({ deed }) => deed === 'moved').length;
    return { tried: sent.length, moved, later, detail };
  };
}

/** Waits until the broker has read the acknowledgements; when it can't, originals may still be there. */
export async function settle({ parking, progress }: Slice): Promise<void> {
  try {
    await parking.settle();
  } catch {
    progress.unsure = true;
  }
}

/** Asks the idempotency records: what is done already is not sent again, and what is being done waits. */
async function sortOut(slice: Slice, items: readonly Item[]) {
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
    return ports.publish(copyFor(slice, item), byMs).then(undefined, given);
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
