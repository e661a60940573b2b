import type { Wire } from '../../functions/replay/operations/answers.ts';
import type { Run } from '../../functions/replay/types.ts';
import { visible } from '../output.ts';
import { layover } from './commands.ts';
import { counts, messages, paint, who } from './words.ts';

/** How a run stands, as programs read it. One line each time something of it changes. */
export function runJson(run: Wire<Run>) {
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
    depthBefore: run.depthBefore ?? null,
    depthAfter: run.depthAfter ?? null,
    startedAt: startedAt ?? null,
    endedAt: endedAt ?? null,
  };
}

/** How far a run is, in one line. */
export function progressText({ plan, counters, state, cancelledBy }: Wire<Run>): string {
  const { moved, duplicates, superseded, discarded, failed } = counters;
  const done = moved + duplicates + discarded;
  const parts = counts({ moved, discarded, duplicates, superseded, 'left behind': failed });
  const stopping = state === 'running' && cancelledBy !== undefined ? ', stopping' : '';
  return `${done} of ${plan.selected}${parts === '' ? '' : `: ${parts}`}${stopping}`;
}

/** How a run ended, with what to look at next. */
export function endText(run: Wire<Run>, flags: string): string {
  const { id, flow, state, why, leftovers, depthBefore, depthAfter, order } = run;
  const colours = paint();
  const left = counts(leftovers);
  const isWhole = state === 'done' && left === '';
  const word = isWhole ? colours.good(state) : colours.bad(state);
  return [
    `Run ${id} of ${flow} is ${word}: ${visible(why ?? '')}`,
    `${visible(progressText(run))}, for ${visible(who(order?.by))}`,
    ...(left === '' ? [] : [`Left in parking: ${visible(left)}`]),
    ...(depthBefore === undefined
      ? []
      : [`Parked: ${messages(depthBefore)} before, ${depthAfter ?? 'unknown'} after`]),
    `Who did what:  ${layover(`audit ${flow} --run ${id}`, flags)}`,
    ...(isWhole ? [] : [`What is parked now:  ${layover(`parked ${flow}`, flags)}`]),
  ].join('\n');
}

/** Whether everything that was planned was done. */
export function isComplete({ state, leftovers }: Wire<Run>): boolean {
  return state === 'done' && counts(leftovers) === '';
}
