import type { Answers, Wire } from '../../functions/replay/operations/answers.ts';
import type { Figure } from '../../functions/replay/operations/status.ts';
import { textTable, visible } from '../output.ts';
import { layover } from './commands.ts';
import { ago, counts, who } from './words.ts';

type Status = Wire<Answers['status']>[number];

/** All flows, a line each; below them what needs a sentence. */
export function statusText(statuses: readonly Status[], flags: string, nowMs: number): string {
  const head = ['flow', 'to do', 'waiting', 'isolated', 'parked', 'oldest', 'replay', 'pollers'];
  const rows = statuses.map((status) => {
    const { depth } = status;
    return [
      status.flow,
      figureText(depth.work),
      figureText(depth.waiting),
      figureText(depth.isolated),
      figureText(depth.parked),
      oldestText(status, nowMs),
      status.switch.startsWith('unreadable') ? '?' : status.switch,
      pollersText(status.pollers),
    ];
  });
  const notes = statuses.flatMap((status) => notesOf(status, flags, nowMs));
  return [textTable(head, rows), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

/** A figure that is not known is no figure. */
function figureText(figure: Wire<Figure<number>>): string {
  return typeof figure === 'number' ? `${figure}` : '?';
}

/** Never younger than the oldest message: since when parking has not been empty. */
function oldestText({ depth, parkedSince }: Status, nowMs: number): string {
  if (depth.parked === 0) return '-';
  return typeof parkedSince === 'string' ? ago(parkedSince, nowMs) : '?';
}

function pollersText(pollers: Status['pollers']): string {
  if (!isList(pollers)) return '?';
  const states = [...new Set(pollers.map(({ state }) => state))];
  return states.length === 0 ? 'none' : states.join(', ');
}

/** TypeScript does not tell a read-only list from an object by `Array.isArray`. */
function isList<T>(value: readonly T[] | object): value is readonly T[] {
  return Array.isArray(value);
}

function notesOf(status: Status, flags: string, nowMs: number): string[] {
  const { flow, active, runs, budget } = status;
  const notes: string[] = [];
  for (const [what, why] of unknowns(status)) {
    notes.push(visible(`${flow}: ${what} not known: ${why}`));
  }
  if (active !== undefined) {
    const since = ago(new Date(active.sinceMs).toISOString(), nowMs);
    notes.push(visible(`${flow}: run ${active.run} of ${who(active.by)} is under way, ${since}`));
    notes.push(`  ${layover(`watch ${active.run}`, flags)}`);
  }
  const last = runs.find(({ endedAt }) => endedAt !== undefined);
  if (last !== undefined) {
    const { moved, discarded } = last.counters;
    const left = counts(last.leftovers);
    const done = last.action === 'discard' ? `${discarded} discarded` : `${moved} moved`;
    notes.push(
      visible(
        `${flow}: last run ${last.id} ${last.state} ${ago(last.endedAt, nowMs)}, ${done}${left === '' ? '' : `, left: ${left}`}, by ${who(last.by)}: ${last.reason ?? '-'}`,
      ),
    );
  }
  if (budget.used > 0) {
    notes.push(
      `${flow}: ${budget.used} of ${budget.hourly} automatic replays used within the hour`,
    );
  }
  return notes;
}

/** What is not known, once for each reason. */
function unknowns({ depth, parkedSince, pollers, switch: state }: Status) {
  const reasons = new Map<string, string[]>();
  const note = (what: string, value: unknown) => {
    const why = (value as { readonly unknown?: unknown } | null)?.unknown;
    if (typeof why !== 'string') return;
    reasons.set(why, [...(reasons.get(why) ?? []), what]);
  };
  note('to do', depth.work);
  note('waiting', depth.waiting);
  note('isolated', depth.isolated);
  note('parked', depth.parked);
  note('oldest', parkedSince);
  if (parkedSince === null && depth.parked !== 0) {
    note('oldest', { unknown: 'no probe has watched parking; layover parked shows ages' });
  }
  note('pollers', pollers);
  if (state.startsWith('unreadable')) note('replay', { unknown: state });
  return [...reasons].map(([why, what]) => [what.join(', '), why] as const);
}
