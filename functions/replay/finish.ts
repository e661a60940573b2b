import type { Parking } from './ports.ts';
import { auditLeft } from './records.ts';
import type { EndState } from './run-state.ts';
import type { MoveEntry } from './store/moves.ts';
import type { Run } from './types.ts';
import type { Work } from './work.ts';

/** How a run ends: the state, why, and why what remains was not moved. */
export interface Ending {
  readonly state: EndState;
  readonly why: string;
  readonly rest: 'gone' | 'not-reached';
}

/** Ends a run: what is left and why, what is in doubt, which signatures rest; then the state, last. */
export async function finishRun(
  work: Work,
  parking: Parking | undefined,
  { state, why: whyDone, rest }: Ending,
): Promise<Run> {
  const { ports, flow, run, lease, progress, order } = work;
  const { store } = ports;
  progress.depthAfter = await parking?.depth().catch(() => undefined);
  const doubts = progress.doubts();
  await store.doubts.add(flow.name, run.id, doubts, ports.now());
  await auditLeft(work, [
    ...doubts.map((entry) => ({ ...entry, reason: 'uncertain' as const })),
    ...remainingEntries(work).map((entry) => ({ ...entry, reason: rest })),
  ]);
  const unknown = run.plan.action === 'replay' ? await learn(work) : 0;
  const why = state === 'done' ? whyDone + unknownText(run, unknown) : whyDone;
  const standing = progress.standing(rest);
  await store.audit.append(
    flow.name,
    run.id,
    {
      kind: 'ended',
      state,
      why,
      order,
      counters: standing.counters,
      leftovers: standing.leftovers,
      depthBefore: standing.depthBefore,
      depthAfter: standing.depthAfter,
    },
    ports.now(),
  );
  await store.runs.end(lease, state, why, standing, ports.now());
  return store.runs.mustGet(run.id);
}

/** What was planned and not dealt with. Of most only the fingerprint is kept; the plan's sample has ids. */
function remainingEntries({ run, progress }: Work): MoveEntry[] {
  const known = new Map(run.plan.sample.map((facts) => [facts.fingerprint, facts]));
  return progress.remaining().map((fingerprint) => ({
    fingerprint,
    messageId: known.get(fingerprint)?.messageId ?? `fingerprint:${fingerprint}`,
    signature: known.get(fingerprint)?.signature ?? 'unknown',
  }));
}

/** A run without a ramp waits for no outcome, so there it says nothing. */
function unknownText({ plan }: Run, unknown: number): string {
  if (!plan.options.ramp || unknown === 0) return '';
  return `; how ${unknown} of the moved ended was not known by then`;
}

/**
 * A signature whose messages failed again rests; one whose messages all ended well no longer does.
 * @returns how many of the moved messages nobody has told anything of
 */
async function learn({ ports, flow, run, progress }: Work): Promise<number> {
  const { outcomes, relapses } = ports.store;
  const moved = progress.movedEntries();
  if (moved.length === 0) return 0;
  const { well, failed } = await outcomes.of(run.id);
  const again = new Set(
    moved.flatMap(({ messageId, signature }) => (failed.includes(messageId) ? [signature] : [])),
  );
  for (const signature of again) await relapses.add(flow.name, signature, ports.now());
  const unknown = Math.max(0, progress.outcomesExpected - well - failed.length);
  if (failed.length > 0 || unknown > 0) return unknown;
  const resting = await relapses.load(flow.name);
  for (const signature of new Set(moved.map((entry) => entry.signature))) {
    if (resting.has(signature)) await relapses.forget(flow.name, signature);
  }
  return 0;
}
