import type { Wire } from '../../functions/replay/operations/answers.ts';
import type { Plan } from '../../functions/replay/types.ts';
import { textTable, visible } from '../output.ts';
import { layover } from './commands.ts';
import { filterFlags } from './filter-options.ts';
import { moreText, windowText } from './groups-text.ts';
import { about, ago, at, counts, messages } from './words.ts';

const SAMPLES_SHOWN = 5;

/** What a plan saw and would do, and the command that does it. */
export function planText(plan: Wire<Plan>, flags: string, nowMs: number): string {
  const { flow, window, summary, selected, estimateMs, options, action } = plan;
  const rows = summary.groups
    .filter((group) => group.selected > 0)
    .map((group) => [
      group.class,
      group.signature,
      `${group.selected} of ${group.count}`,
      ago(group.firstAt, nowMs),
      ago(group.lastAt, nowMs),
      group.failedAgain > 0 ? `${group.failedAgain} failed again after a replay` : '',
    ]);
  const table = textTable(['class', 'signature', 'selected', 'first', 'last', ''], rows);
  const pace = [
    options.ramp ? 'ramp 1, 10, 100, …' : 'no ramp',
    options.ratePerSecond === undefined ? 'no rate limit' : `${options.ratePerSecond}/s`,
  ].join(', ');
  return [
    `${planHeadline(plan)}`,
    windowText(flow, window),
    ...(rows.length > 0 ? ['', table, ...moreText(summary)] : []),
    '',
    `Parked by class: ${visible(counts(summary.byClass)) || '-'}. By age: ${counts(summary.byAge) || '-'}.`,
    ...heldBack(plan),
    ...sampleLines(plan),
    ...(action === 'discard'
      ? ['Removed for good; exported before, and the audit says where to.']
      : [`Takes ${about(estimateMs)} (${pace}) when nothing goes wrong.`]),
    `Valid until ${at(plan.validUntil)}.`,
    '',
    selected === 0
      ? 'Nothing is selected, so there is nothing to run.'
      : `Next:  ${layover(`run ${plan.id} --reason '…'`, flags)}`,
  ].join('\n');
}

/** One line that says what a run of the plan does: to be read before saying yes. */
export function planHeadline(plan: Wire<Plan>): string {
  const { id, flow, environment, selected, window, action, filter } = plan;
  const does = action === 'discard' ? 'discards' : 'replays';
  const meant = filterFlags(filter);
  const which = meant === '' ? '' : ` (${meant.trim()})`;
  return visible(
    `Plan ${id} ${does} ${selected} of ${messages(window.scanned)} of ${flow} in ${environment}${which}.`,
  );
}

function heldBack({ refused, warnings, leftBehind }: Wire<Plan>): string[] {
  const lines = Object.entries(refused).map(
    ([guard, count]) => `Held back by ${guard}: ${messages(count ?? 0)}${wayOut(guard)}`,
  );
  for (const { what, count } of warnings) lines.push(`Mind: ${messages(count)} ${what}`);
  if (leftBehind > 0) {
    lines.push(`${messages(leftBehind)} moved by an earlier run will be removed when met.`);
  }
  return lines;
}

/** How a person takes messages that a guard holds back. */
function wayOut(guard: string): string {
  switch (guard) {
    case 'origin':
      return ' (nothing says that they are the flow’s; --accept-unknown takes them)';
    case 'uncertain':
      return ' (an earlier run may have moved them; --include-uncertain takes them)';
    default:
      return '';
  }
}

function sampleLines({ sample, selected }: Wire<Plan>): string[] {
  if (sample.length === 0) return [];
  const shown = sample.slice(0, SAMPLES_SHOWN).map(({ messageId }) => visible(messageId));
  const more = selected > shown.length ? ', …' : '';
  return [`Among them: ${shown.join(', ')}${more}`];
}
