import type { Flow } from '../policy/types.ts';
import { ReplayError } from './errors.ts';
import { type Ending, finishRun } from './finish.ts';
import { killSwitch, reading } from './guards.ts';
import { movedByOthers } from './memory.ts';
import { awaitOutcomes } from './outcomes-wait.ts';
import type { Parking, ReplayPorts } from './ports.ts';
import { Progress } from './progress.ts';
import { RateLimiter } from './rate-limiter.ts';
import { recordDone } from './records.ts';
import { isOver } from './run-state.ts';
import { runSlice, type SliceEnd } from './slice.ts';
import { refuseForeign } from './start.ts';
import { Stop } from './stop.ts';
import type { MoveEntry } from './store/moves.ts';
import type { Run } from './types.ts';
import { Watch } from './watch.ts';
import type { Work } from './work.ts';

/** Held unacknowledged for longer than its consumer timeout (30 min), the broker takes a message back. */
const HOLD_MS = 10 * 60_000;
/** Kept at the end of a worker's time for writing down what was done. */
const RESERVE_MS = 5_000;
/** Slices in a row that met trouble before a worker gives up and leaves the run to the next one. */
const MAX_TROUBLE = 3;
const TROUBLE_PAUSE_MS = 500;
const ADOPTION_PAUSE_MS = 1_000;
/** What consumers may need to report on a copy that is out although its confirm was lost. */
const DOUBT_PAUSE_MS = 1_000;

export interface ExecuteOptions {
  /** Names this worker in the lease and the audit: a request id, a process. */
  readonly worker: string;
  /** When this worker must have returned, epoch milliseconds. */
  readonly deadlineAtMs: number;
}

export type RunEnd =
  | { readonly kind: 'ended'; readonly run: Run }
  /** Time is over, or the broker is away: the next worker goes on. */
  | { readonly kind: 'to-be-continued'; readonly run: Run; readonly why: string };

/**
 * Works on a started run until it ends or the worker's time is over. Adopts a run whose worker died.
 * @throws ReplayError `LOCK_HELD` while another worker is alive, `LEASE_LOST` when one took over,
 * `PLAN_DAMAGED`, `WRONG_ENVIRONMENT`, `WRONG_FLOW`, `BAD_REQUEST` for a plan nobody started
 */
export async function executeRun(
  ports: ReplayPorts,
  flow: Flow<never>,
  id: string,
  options: ExecuteOptions,
): Promise<RunEnd> {
  const run = await ports.store.runs.mustGet(id);
  refuseForeign(run, ports.environment, flow.name);
  if (isOver(run.state)) {
    // Whoever ended it may have died before the flow was free for the next run.
    await ports.store.leases.unbook(flow.name, id);
    return { kind: 'ended', run };
  }
  const { order } = run;
  if (run.state !== 'running' || order === undefined) {
    throw new ReplayError('BAD_REQUEST', `Plan ${id} was not started; run it first.`);
  }
  const lease = await ports.store.leases.take(flow.name, id, options.worker, ports.now());
  try {
    const progress = await takeUp(ports, run, options.worker);
    const limiter = new RateLimiter(run.plan.options.ratePerSecond);
    const work: Work = { ports, flow, run, order, lease, progress, limiter };
    return await workOut(work, options.deadlineAtMs);
  } finally {
    await ports.store.leases.giveBack(lease).catch(() => undefined);
  }
}

/** What was done so far, by whomever. */
async function takeUp(ports: ReplayPorts, run: Run, worker: string): Promise<Progress> {
  const [selection, moves, others] = await Promise.all([
    ports.store.plans.selection(run.plan),
    ports.store.moves.load(run.id),
    // The plan has looked at every message: what it did not meet needs no list to be known by.
    run.plan.leftBehind > 0 ? movedByOthers(ports, run.flow, run.id) : undefined,
  ]);
  const progress = new Progress(selection, moves, run, others);
  if (run.plan.leftBehind > 0) progress.unsure = true;
  if (moves.intended.length > 0 || moves.done.length > 0) {
    progress.unsure = true;
    // What a dead worker held is ready again a little after its lock is free.
    await ports.wait(ADOPTION_PAUSE_MS);
    await ports.store.audit.append(
      run.flow,
      run.id,
      { kind: 'adopted', worker, uncertain: progress.doubtCount },
      ports.now(),
    );
  }
  return progress;
}

async function workOut(work: Work, deadlineAtMs: number): Promise<RunEnd> {
  const { ports, flow, run, progress } = work;
  let parking: Parking | undefined;
  let trouble = 0;
  let lastTrouble: unknown;
  try {
    for (;;) {
      const leftMs = deadlineAtMs - RESERVE_MS - ports.now();
      if (leftMs <= 0) return await later(work, 'the time of this worker is over');
      if (trouble >= MAX_TROUBLE) return await later(work, textOf(lastTrouble));
      const answer = killSwitch(await reading(() => ports.killSwitch(flow.name)), run.plan.mode);
      if (!answer.holds) {
        const ending = { state: 'halted', why: answer.because, rest: 'not-reached' } as const;
        return { kind: 'ended', run: await finishRun(work, parking, ending) };
      }
      try {
        parking ??= await ports.openParking(flow.queue, deadlineAtMs);
      } catch (error) {
        if (codeOf(error) === 'PARKING_LOCKED') throw await lockHeld(work, error);
        lastTrouble = error;
        trouble += 1;
        await ports.wait(TROUBLE_PAUSE_MS);
        continue;
      }
      const before = progress.settledCount;
      const sliceEndsMs = ports.now() + Math.min(leftMs, HOLD_MS);
      const end = await runSlice(work, parking, sliceEndsMs);
      if (end.stop?.kind === 'trouble') {
        if (codeOf(end.stop.error) === 'LEASE_LOST') throw end.stop.error;
        lastTrouble = end.stop.error;
        trouble = progress.settledCount > before ? 1 : trouble + 1;
        await parking.close();
        parking = undefined;
        await ports.wait(TROUBLE_PAUSE_MS);
        continue;
      }
      trouble = end.settled ? 0 : trouble + 1;
      if (!end.settled) lastTrouble = new Error('acknowledgements may not have been carried out');
      const ending = await endingOf(work, end, progress.settledCount > before, deadlineAtMs);
      if (ending === 'time') return await later(work, 'the time of this worker is over');
      if (ending !== undefined) {
        return { kind: 'ended', run: await finishRun(work, parking, ending) };
      }
    }
  } finally {
    await parking?.close();
  }
}

/** Undefined: another slice. `time`: the last step's outcomes are not known and the time is over. */
async function endingOf(
  work: Work,
  { stop, scan, settled, doubtsUnmet }: SliceEnd,
  advanced: boolean,
  deadlineAtMs: number,
): Promise<Ending | 'time' | undefined> {
  const { progress } = work;
  if (stop?.kind === 'end') return { state: stop.state, why: stop.why, rest: 'not-reached' };
  if (stop !== undefined || scan === undefined || scan.end === 'stopped') return undefined;
  const sawAll = scan.end === 'all' && scan.scanned >= scan.depth;
  if (sawAll) await presumeMoved(work, doubtsUnmet);
  if (!settled) return undefined;
  if (sawAll || scan.end === 'enough') progress.unsure = false;
  const more = progress.remainingCount > 0 && !sawAll;
  if (more && (advanced || scan.end === 'silence')) return undefined;
  const halt = await lastOutcomes(work, deadlineAtMs);
  if (halt === 'time') return 'time';
  if (halt !== undefined) return { ...halt, rest: more ? 'not-reached' : 'gone' };
  if (progress.doubtCount > 0 && !progress.lookedAgain) {
    progress.lookedAgain = true;
    await work.ports.wait(DOUBT_PAUSE_MS);
    return undefined;
  }
  if (more) {
    const why = `what remains lies behind the window of ${scan.scanned} messages`;
    return { state: 'done', why, rest: 'not-reached' };
  }
  return { state: 'done', why: 'all that was planned was tried', rest: 'gone' };
}

/**
 * A message that was in doubt before a scan of the whole queue and was not met by it was given up by
 * the worker before, and only what was confirmed is given up: it was moved. Presumed only: should the
 * original turn up after all (somebody else held it), it is left alone, not removed.
 */
async function presumeMoved(work: Work, unmet: readonly MoveEntry[]): Promise<void> {
  await recordDone(
    work,
    unmet.map((entry) => ({ ...entry, deed: 'presumed-moved' as const })),
  );
}

/** After the last step of a ramp: nothing is held any more, but its outcomes still count. */
async function lastOutcomes(
  work: Work,
  deadlineAtMs: number,
): Promise<Pick<Ending, 'state' | 'why'> | 'time' | undefined> {
  const { run, progress, ports } = work;
  const { options, action } = run.plan;
  if (!options.ramp || action !== 'replay' || progress.movedCount === 0) return undefined;
  const stop = new Stop();
  const watch = new Watch(work, stop);
  const leftMs = Math.max(0, deadlineAtMs - RESERVE_MS - ports.now());
  const timer = setTimeout(() => stop.because({ kind: 'slice-over' }), leftMs);
  watch.start();
  try {
    await awaitOutcomes(work, stop);
  } finally {
    clearTimeout(timer);
    await watch.end();
  }
  const { reason } = stop;
  if (reason === undefined) return undefined;
  if (reason.kind === 'trouble') throw reason.error;
  return reason.kind === 'end' ? { state: reason.state, why: reason.why } : 'time';
}

async function later(work: Work, why: string): Promise<RunEnd> {
  const { ports, lease, progress, run } = work;
  await ports.store.runs.report(lease, progress.standing());
  return { kind: 'to-be-continued', run: await ports.store.runs.mustGet(run.id), why };
}

async function lockHeld({ ports, flow, run }: Work, cause: unknown): Promise<ReplayError> {
  const active = await ports.store.leases.active(flow.name).catch(() => undefined);
  const who =
    active === undefined || active.run === run.id
      ? 'another look or replay'
      : `run ${active.run}, started by ${active.by}`;
  return new ReplayError(
    'LOCK_HELD',
    `The parking queue of flow ${flow.name} is held by ${who}; the run goes on when it is free.`,
    { cause },
  );
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
