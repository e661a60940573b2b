import { inItems } from './selection.ts';
import type { DoneEntry, LeftEntry } from './store/moves.ts';
import type { LeftoverReason } from './types.ts';
import type { Work } from './work.ts';

const DONE_KINDS = {
  moved: 'moved',
  'presumed-moved': 'presumed-moved',
  duplicate: 'removed-as-duplicate',
  superseded: 'removed-as-superseded',
  discarded: 'discarded',
} as const;

/** Writes what was done with messages: for an adopter, for the audit, and a log line for each. */
export async function recordDone(work: Work, done: readonly DoneEntry[]): Promise<void> {
  if (done.length === 0) return;
  const { ports, lease, run, flow, progress } = work;
  const nowMs = ports.now();
  // First here: what was done stays done for this worker, also when it can't be written down now.
  for (const entry of done) progress.done(entry);
  await ports.store.moves.done(lease, done, nowMs);
  const audits = (Object.keys(DONE_KINDS) as (keyof typeof DONE_KINDS)[]).flatMap((deed) =>
    inItems(done.filter((entry) => entry.deed === deed)).map((part) => {
      const ids = part.map(({ messageId }) => messageId);
      return ports.store.audit.append(flow.name, run.id, { kind: DONE_KINDS[deed], ids }, nowMs);
    }),
  );
  await Promise.all(audits);
  ports.log(done.map(({ deed, ...entry }) => line(work, entry.messageId, deed, entry.signature)));
}

/** Writes what stays parked, and why. */
export async function recordLeft(work: Work, left: readonly LeftEntry[]): Promise<void> {
  if (left.length === 0) return;
  const { ports, lease, progress } = work;
  for (const entry of left) progress.left(entry);
  await ports.store.moves.left(lease, left, ports.now());
  await auditLeft(work, left);
}

/** The audit's and the log's share of {@link recordLeft}. */
export async function auditLeft(work: Work, left: readonly LeftEntry[]): Promise<void> {
  const { ports, run, flow } = work;
  const reasons = new Set<LeftoverReason>(left.map(({ reason }) => reason));
  for (const reason of reasons) {
    for (const part of inItems(left.filter((entry) => entry.reason === reason))) {
      const ids = part.map(({ messageId }) => messageId);
      await ports.store.audit.append(flow.name, run.id, { kind: 'left', reason, ids }, ports.now());
    }
  }
  ports.log(
    left.map(({ messageId, signature, reason, detail }) => ({
      ...line(work, messageId, 'left', signature),
      why: reason,
      detail,
    })),
  );
}

function line(work: Work, messageId: string, deed: string, signature: string) {
  return {
    message: 'replay',
    flow: work.flow.name,
    messageId,
    deed,
    signature,
    replayRun: work.run.id,
    by: work.order.by,
  };
}
