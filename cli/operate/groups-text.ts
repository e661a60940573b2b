import type { Answers, Wire } from '../../functions/replay/operations/answers.ts';
import type { GroupCount, Summary } from '../../functions/replay/types.ts';
import { textTable, visible } from '../output.ts';
import { layover, word } from './commands.ts';
import { ago, counts, messages } from './words.ts';

type Window = Wire<Answers['parked']>['window'];

const LONGEST_ERROR = 60;

/** What is parked, by class and signature, and what automatic replay says of it. */
export function parkedText(
  { flow, window, ...summary }: Wire<Answers['parked']>,
  flags: string,
  nowMs: number,
): string {
  if (window.scanned === 0) return `Nothing is parked in ${flow}.`;
  const head = ['class', 'signature', 'count', 'first', 'last', 'automatic replay', 'sample'];
  const rows = summary.groups.map((group) => [
    group.class,
    group.signature,
    `${group.count}`,
    ago(group.firstAt, nowMs),
    ago(group.lastAt, nowMs),
    automaticText(group),
    sampleText(group),
  ]);
  const [largest] = summary.groups;
  return [
    windowText(flow, window),
    '',
    textTable(head, rows),
    ...moreText(summary),
    '',
    `By class: ${visible(counts(summary.byClass))}. By age: ${counts(summary.byAge)}.`,
    `One of them:  ${layover(`show ${flow} ${largest === undefined ? '<messageId>' : word(largest.sample.messageId)}`, flags)}`,
    `What a replay would do:  ${layover(`plan ${flow}${largest === undefined ? '' : ` --class ${largest.class}`}`, flags)}`,
  ].join('\n');
}

/** How far the look went, with what lies behind it. */
export function windowText(flow: string, { depth, scanned, complete }: Window): string {
  if (complete) return `${messages(scanned)} parked in ${flow}; all were looked at.`;
  return `${messages(depth)} parked in ${flow}; the first ${scanned} were looked at, what lies behind them is not in these figures.`;
}

export function moreText({ moreGroups }: Wire<Pick<Summary, 'moreGroups'>>): string[] {
  const { groups, messages: count } = moreGroups;
  return groups === 0 ? [] : [`… and ${groups} more kinds with ${messages(count)}`];
}

/** Whether the schedule would take the messages of a group, and which guard says no. */
function automaticText({ count, automatic, skipped }: Wire<GroupCount>): string {
  const no = counts(skipped);
  if (automatic === count) return 'yes';
  if (automatic === 0) {
    const guards = Object.keys(skipped);
    return guards.length === 1 ? `no: ${guards[0]}` : `no: ${no}`;
  }
  return `${automatic} of ${count}; no: ${no}`;
}

function sampleText({ sample, errorName, failedAgain }: Wire<GroupCount>): string {
  const error = [errorName, sample.errorMessage].filter((part) => part !== undefined).join(': ');
  const short = error.length > LONGEST_ERROR ? `${error.slice(0, LONGEST_ERROR)}…` : error;
  const again = failedAgain > 0 ? ` (${failedAgain} failed again after a replay)` : '';
  return `${sample.messageId}  ${short}${again}`;
}
