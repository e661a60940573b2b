import { recordDone } from './records.ts';
import { settle } from './replay-chunk.ts';
import type { DoneEntry } from './store/moves.ts';
import { type Candidate, entryOf, itemOf, type Slice } from './work.ts';

/**
 * Deals with originals whose copy is, or may be, out already. Where a consumer has reported on the run's
 * copy, or the run itself saw it confirmed, the original is removed; otherwise it stays, in doubt.
 *
 * Only for copies of ours: their publish token makes them unique. Of two messages that are the same to
 * the last byte nobody can say which one the run has moved.
 */
export async function settleDoubts(slice: Slice, candidates: readonly Candidate[]): Promise<void> {
  const done: DoneEntry[] = [];
  for (const candidate of candidates) {
    const item = itemOf(slice, candidate);
    const isOut =
      item.message.state.own &&
      (candidate.fate === 'superseded' || (await wasSeen(slice, item.messageId)));
    if (isOut) {
      slice.parking.ack(item.tag);
      done.push({ ...entryOf(item), deed: 'superseded' });
    } else {
      slice.parking.hold(item.tag);
    }
  }
  if (done.length === 0) return;
  await settle(slice);
  await recordDone(slice, done);
}

async function wasSeen({ ports, run }: Slice, messageId: string): Promise<boolean> {
  try {
    return await ports.store.outcomes.seen(run.id, messageId);
  } catch {
    // Not known is not seen: it stays in doubt.
    return false;
  }
}
