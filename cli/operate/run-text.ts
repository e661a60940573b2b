import type { Wire } from '../../functions/replay/operations/answers.ts';
import type { WatchedRun } from '../../functions/replay/operations/watch.ts';
import { visible } from '../output.ts';
import { layover } from './commands.ts';
import { counts, messages, paint, who } from './words.ts';

/** How a run stands, as programs read it. One line each time something of it changes. */
export function runJson(run: Wire<WatchedRun>) {
  const { id, flow, state, why, plan, counters, leftovers, startedAt, endedAt } = run;
  return {
    run: id,
    flow,
    environment: plan.environment,
    action: plan.action,
    state,
    why: why ?? null,
    selected: plan.selected,
    counters,
    leftovers,
    outcomesUnknown: run.outcomesUnknown ?? null,
    failedAgain: run.failedAgain ?? null,
    depthBefore: run.depthBefore ?? null,
    depthAfter: run.depthAfter ?? null,
    startedAt: startedAt ?? null,
    endedAt: endedAt ?? null,
  };
}

/** How far a run is, in one line. */
export function progressText({ plan, counters, state, cancelledBy }: Wire<WatchedRun>): string {
  const { moved, duplicates, superseded, discarded, failed } = counters;
  const done = moved + duplicates + discarded;
  const parts = counts({ moved, discarded, duplicates, superseded, 'left behind': failed });
  const stopping = state === 'running' && cancelledBy !== undefined ? ', stopping' : '';
  return `${done} of ${plan.selected}${parts === '' ? '' : `: ${parts}`}${stopping}`;
}

/** How a run ended, with what to look at next. */
export function endText(run: Wire<WatchedRun>, flags: string): string {
  const { id, flow, state, why, leftovers, depthBefore, depthAfter, order } = run;
  const colours = paint();
  const left = counts(leftovers);
  const isWhole = isComplete(run);
  const word = isWhole ? colours.good(state) : colours.bad(state);
  return [
    `Run ${id} of ${flow} is ${word}: ${visible(why ?? '')}`,
    ...outcomeLines(run, flags),
    `${visible(progressText(run))}, for ${visible(who(order?.by))}`,
    ...(left === '' ? [] : [`Left in parking: ${visible(left)}`]),
    ...(depthBefore === undefined
      ? []
      : [`Parked: ${messages(depthBefore)} before, ${depthAfter ?? 'unknown'} after`]),
    `Who did what:  ${layover(`audit ${flow} --run ${id}`, flags)}`,
    ...(isWhole ? [] : [`What is parked now:  ${layover(`parked ${flow}`, flags)}`]),
  ].join('\n');
}

/** Done is what was planned, how it ended is another matter: nobody reads from a paused flow. */
function outcomeLines(run: Wire<WatchedRun>, flags: string): string[] {
  const { id, flow, state, outcomesUnknown = 0, failedAgain = 0 } = run;
  if (state !== 'done') return [];
  const failed = failedAgain === 0 ? [] : [`Failed again since: ${messages(failedAgain)}`];
  if (outcomesUnknown === 0) return failed;
  return [
    ...failed,
    `How ${messages(outcomesUnknown)} ended is not known yet. Is the flow paused, or slow?  ${layover(`status ${flow}`, flags)}`,
    `Look again later:  ${layover(`watch ${id}`, flags)}`,
  ];
}

/** Whether everything that was planned was done, however it ended. */
export function isAllMoved({ state, leftovers }: Wire<WatchedRun>): boolean {
  return state === 'done' && counts(leftovers) === '';
}

/** Whether everything that was planned was done and, after a ramp, is known to have ended well. */
export function isComplete(run: Wire<WatchedRun>): boolean {
  return isAllMoved(run) && (run.outcomesUnknown ?? 0) + (run.failedAgain ?? 0) === 0;
}
