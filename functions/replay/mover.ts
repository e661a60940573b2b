import { stageDiscard } from './discard-chunk.ts';
import type { Inbox } from './inbox.ts';
import { awaitOutcomes } from './outcomes-wait.ts';
import { stepAt, stepBegins } from './ramp.ts';
import { type ChunkEnd, type StagedChunk, stageChunk } from './replay-chunk.ts';
import { IDS_PER_ITEM } from './selection.ts';
import { settleDoubts } from './settle-doubts.ts';
import type { Watch } from './watch.ts';
import { type Candidate, itemOf, type Slice } from './work.ts';

/** A chunk waits so long for the scan to fill it. */
const FILL_MS = 100;
/** Chunks written down ahead of their turn: a worker that dies leaves them in doubt. */
const PREPARED = 2;
/** Chunks whose confirms are awaited while the next one is published. */
const MAX_UNFINISHED = 2;
/** A target that refuses a whole chunk of at least so many takes no more of them. */
const HOPELESS_FROM = 20;

/**
 * Moves what the scan finds, chunk by chunk and step by step, until the scan is over or the slice is
 * to stop. While one chunk is published the next is prepared. With a ramp, a step first waits for the
 * outcome of the messages of all steps before it.
 */
export async function moveAll(slice: Slice, inbox: Inbox<Candidate>, watch: Watch): Promise<void> {
  const { run, progress, stop } = slice;
  const { options, action } = run.plan;
  const ramp = options.ramp && action === 'replay';
  const prepared: Promise<StagedChunk>[] = [];
  const unfinished: Promise<void>[] = [];
  let known = 0;
  try {
    while (stop.reason === undefined && !(inbox.over && prepared.length === 0)) {
      const moved = progress.movedCount;
      if (ramp && known < moved && stepBegins(moved) && inbox.size > 0) {
        await awaitOutcomes(slice, stop);
        known = moved;
        continue;
      }
      const size = Math.min(stepAt(moved, ramp).left, chunkSize(options.ratePerSecond));
      if (prepared.length === 0) {
        const first = await inbox.take(size, FILL_MS);
        if (first.length > 0) prepared.push(prepare(slice, first));
      }
      while (!ramp && prepared.length < PREPARED && inbox.size >= size) {
        prepared.push(prepare(slice, await inbox.take(size, 0)));
      }
      const next = await prepared[0];
      await watch.fresh();
      if (next === undefined || stop.reason !== undefined) continue;
      prepared.shift();
      unfinished.push(finishing(slice, await next.publish()));
      if (ramp || unfinished.length > MAX_UNFINISHED) await unfinished.shift();
    }
  } finally {
    await Promise.all(unfinished);
    await abandon(prepared);
  }
}

/** Enough for a second or so: what a dying worker leaves in doubt stays small at a low rate. */
function chunkSize(ratePerSecond: number | undefined): number {
  if (ratePerSecond === undefined) return IDS_PER_ITEM;
  return Math.min(IDS_PER_ITEM, Math.max(1, Math.round(ratePerSecond)));
}

/** Everything before the first publish. */
function prepare(slice: Slice, candidates: readonly Candidate[]): Promise<StagedChunk> {
  const preparing = prepareChunk(slice, candidates);
  // Awaited when its turn comes; until then a failure must not count as unheard of.
  preparing.catch(() => undefined);
  return preparing;
}

async function prepareChunk(slice: Slice, candidates: readonly Candidate[]): Promise<StagedChunk> {
  const doubtful = candidates.filter(({ fate }) => fate !== 'move');
  const planned = candidates.filter(({ fate }) => fate === 'move');
  try {
    if (doubtful.length > 0) await settleDoubts(slice, doubtful);
    const items = planned.map((candidate) => itemOf(slice, candidate));
    if (slice.run.plan.action === 'replay') return await stageChunk(slice, items);
    return stageDiscard(slice, items);
  } catch (error) {
    // Nothing of it was published: the store could not be reached before.
    putBack(slice, planned);
    throw error;
  }
}

async function abandon(prepared: readonly Promise<StagedChunk>[]): Promise<void> {
  for (const { status, value } of (await Promise.allSettled(prepared)) as {
    readonly status: string;
    readonly value?: StagedChunk;
  }[]) {
    if (status === 'fulfilled') await value?.abandon();
  }
}

function finishing(slice: Slice, finish: () => Promise<ChunkEnd>): Promise<void> {
  const finished = finish().then((end) => judge(slice, end));
  finished.catch((error: unknown) => slice.stop.because({ kind: 'trouble', error }));
  return finished;
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
