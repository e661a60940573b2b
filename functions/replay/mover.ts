import { discardChunk } from './discard-chunk.ts';
import type { Inbox } from './inbox.ts';
import { awaitOutcomes } from './outcomes-wait.ts';
import { stepAt, stepBegins } from './ramp.ts';
import { type ChunkEnd, replayChunk } from './replay-chunk.ts';
import { IDS_PER_ITEM } from './selection.ts';
import { settleDoubts } from './settle-doubts.ts';
import type { Watch } from './watch.ts';
import { type Candidate, itemOf, type Slice } from './work.ts';

/** A chunk waits so long for the scan to fill it. */
const FILL_MS = 100;
/** Chunks whose confirms are awaited while the next one is published. */
const MAX_UNFINISHED = 2;
/** A target that refuses a whole chunk of at least so many takes no more of them. */
const HOPELESS_FROM = 20;

/**
 * Moves what the scan finds, chunk by chunk and step by step, until the scan is over or the slice is
 * to stop. With a ramp, a step first waits for the outcome of the messages of all steps before it.
 */
export async function moveAll(slice: Slice, inbox: Inbox<Candidate>, watch: Watch): Promise<void> {
  const { run, progress, stop } = slice;
  const { options, action } = run.plan;
  const ramp = options.ramp && action === 'replay';
  const unfinished: Promise<void>[] = [];
  let known = 0;
  while (!inbox.over && stop.reason === undefined) {
    const moved = progress.movedCount;
    if (ramp && known < moved && stepBegins(moved) && inbox.size > 0) {
      await awaitOutcomes(slice, stop);
      known = moved;
      continue;
    }
    const { left } = stepAt(moved, ramp);
    const candidates = await inbox.take(Math.min(left, chunkSize(options.ratePerSecond)), FILL_MS);
    if (candidates.length === 0) continue;
    await watch.look();
    if (stop.reason !== undefined) {
      putBack(slice, candidates);
      break;
    }
    const { finished } = await workOn(slice, candidates);
    unfinished.push(finished);
    if (ramp || unfinished.length > MAX_UNFINISHED) await unfinished.shift();
  }
  await Promise.all(unfinished);
}

/** Enough for a second or so: what a dying worker leaves in doubt stays small at a low rate. */
function chunkSize(ratePerSecond: number | undefined): number {
  if (ratePerSecond === undefined) return IDS_PER_ITEM;
  return Math.min(IDS_PER_ITEM, Math.max(1, Math.round(ratePerSecond)));
}

/** Publishes a chunk; its confirms, acknowledgements and records may still be ahead. */
async function workOn(
  slice: Slice,
  candidates: readonly Candidate[],
): Promise<{ readonly finished: Promise<void> }> {
  const doubtful = candidates.filter(({ fate }) => fate !== 'move');
  const planned = candidates.filter(({ fate }) => fate === 'move');
  try {
    if (doubtful.length > 0) await settleDoubts(slice, doubtful);
    if (planned.length === 0) return { finished: Promise.resolve() };
    const items = planned.map((candidate) => itemOf(slice, candidate));
    if (slice.run.plan.action === 'discard') {
      await discardChunk(slice, items);
      return { finished: Promise.resolve() };
    }
    const finish = await replayChunk(slice, items);
    const finished = finish().then((end) => judge(slice, end));
    finished.catch((error: unknown) => slice.stop.because({ kind: 'trouble', error }));
    return { finished };
  } catch (error) {
    // Nothing of the chunk was published: the store, or the export, could not be reached before.
    putBack(slice, planned);
    throw error;
  }
}

function judge({ stop }: Slice, { tried, moved, later, detail }: ChunkEnd): void {
  if (later > 0) stop.because({ kind: 'trouble', error: new Error(detail) });
  if (moved === 0 && tried >= HOPELESS_FROM) {
    const why = `the work queue took none of ${tried} messages: ${detail}`;
    stop.because({ kind: 'end', state: 'halted', why });
  }
}

function putBack({ progress, parking }: Slice, candidates: readonly Candidate[]): void {
  for (const { fate, fingerprint, tag } of candidates) {
    parking.hold(tag);
    if (fate === 'move') progress.putBack(fingerprint);
  }
}
