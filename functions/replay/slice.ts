import type { ScanEnd } from '../broker/parking-reader.ts';
import { fingerprintOf, markOf } from './fingerprint.ts';
import { Inbox } from './inbox.ts';
import { moveAll } from './mover.ts';
import type { Parking } from './ports.ts';
import { Bag } from './selection.ts';
import { Stop, type StopReason } from './stop.ts';
import type { MoveEntry } from './store/moves.ts';
import type { Plan } from './types.ts';
import { Watch } from './watch.ts';
import type { Candidate, Slice, Work } from './work.ts';

/** Most messages held at once: one consumer's explicit prefetch. Deeper queues are worked in windows. */
export const WINDOW = 50_000;
/**
 * Planned messages delivered ahead of their move. Those that stay are held besides; when more stay than
 * the plan knew of, the scan ends in silence and the next slice counts anew.
 */
const AHEAD = 4_000;
const AHEAD_BYTES = 32 * 1024 * 1024;
/** Bodies waiting to be moved; a scan that has found so many looks no further in this slice. */
const WAITING_BYTES = 64 * 1024 * 1024;

export interface SliceEnd {
  /** Absent when everything the scan found was dealt with. */
  readonly stop: StopReason | undefined;
  /** Absent when the scan broke. */
  readonly scan: ScanEnd | undefined;
  /** False: originals of messages that were moved may still be in the queue. */
  readonly settled: boolean;
  /** Messages that were in doubt before the scan and were not met by it. */
  readonly doubtsUnmet: readonly MoveEntry[];
}

/**
 * One hold on parking: scan, move what is planned, give the rest back in order. Never rejects for
 * trouble with the broker or the store; the reason is in what it returns.
 */
export async function runSlice(
  work: Work,
  parking: Parking,
  deadlineAtMs: number,
): Promise<SliceEnd> {
  const stop = new Stop();
  const slice: Slice = { ...work, parking, stop, deadlineAtMs };
  const watch = new Watch(work, stop);
  const timer = setTimeout(
    () => stop.because({ kind: 'slice-over' }),
    Math.max(0, deadlineAtMs - work.ports.now()),
  );
  work.progress.sliceBegan();
  watch.start();
  const inbox = new Inbox<Candidate>();
  let scan: ScanEnd | undefined;
  let end: StopReason | undefined;
  const doubtsBefore = work.progress.doubts();
  const doubtsMet = new Bag();
  let settled = false;
  try {
    await watch.look();
    const scanning = scanInto(slice, inbox, doubtsMet)
      .then((end) => {
        scan = end;
      })
      .catch((error: unknown) => stop.because({ kind: 'trouble', error }))
      .finally(() => inbox.end());
    await moveAll(slice, inbox, watch).catch((error: unknown) =>
      stop.because({ kind: 'trouble', error }),
    );
    if (stop.reason !== undefined) end = stop.reason;
    // Ends a scan whose mover has ended before it.
    stop.because({ kind: 'slice-over' });
    await scanning;
    for (const { fate, fingerprint } of await inbox.take(Number.POSITIVE_INFINITY, 0)) {
      if (fate === 'move') work.progress.putBack(fingerprint);
    }
  } finally {
    clearTimeout(timer);
    await watch.end();
    settled = await release(slice);
  }
  const doubtsUnmet = doubtsBefore.filter(({ fingerprint }) => !doubtsMet.take(fingerprint));
  return { stop: end, scan, settled, doubtsUnmet };
}

async function scanInto(slice: Slice, inbox: Inbox<Candidate>, doubtsMet: Bag): Promise<ScanEnd> {
  const { parking, progress, stop } = slice;
  const planned = progress.remainingCount;
  const ahead = aheadOf(slice.run.plan);
  const end = await parking.scan({
    window: WINDOW,
    prefetch: (expected) => expected - planned + ahead,
    signal: stop.signal,
    onDelivery: (delivery) => {
      const tag = delivery.fields.deliveryTag;
      const mark = markOf(delivery);
      const fingerprint = progress.mayConcern(mark) ? fingerprintOf(delivery, mark) : undefined;
      const fate = fingerprint === undefined ? 'leave' : progress.fateOf(fingerprint);
      if (fingerprint === undefined || fate === 'leave') {
        parking.hold(tag);
        return 'more';
      }
      if (fate === 'doubt') doubtsMet.add(fingerprint);
      inbox.put({ tag, fingerprint, delivery, fate, bytes: delivery.content.length });
      if (inbox.bytes > WAITING_BYTES) return 'enough';
      return progress.remainingCount === 0 && progress.onlyPlanned ? 'enough' : 'more';
    },
  });
  progress.depthBefore ??= end.depth;
  return end;
}

/** Fewer when bodies are large: the broker sends what it may, whether we keep up or not. */
function aheadOf({ selected, selectedBytes }: Plan): number {
  const meanBytes = Math.max(1, selectedBytes / Math.max(1, selected));
  return Math.min(AHEAD, Math.max(50, Math.floor(AHEAD_BYTES / meanBytes)));
}

/** False when acknowledgements may not have been carried out, or were lost with the hold. */
async function release({ parking, progress }: Slice): Promise<boolean> {
  try {
    await parking.release();
    if (parking.lost === undefined) return true;
  } catch {
    // What it says is in the answer: a further slice looks again.
  }
  progress.unsure = true;
  return false;
}
