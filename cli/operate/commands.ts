import type { Wire } from '../../functions/replay/operations/answers.ts';
import type { Plan } from '../../functions/replay/types.ts';
import { visible } from '../output.ts';
import { filterFlags, quoted } from './filter-options.ts';

/** A command to follow, as it is typed in this project. */
export function layover(command: string, flags: string): string {
  return `npm run -s layover -- ${command}${flags}`;
}

/** Text of a stranger's for a command that somebody may copy: one word to the shell, nothing to the terminal. */
export function word(text: string): string {
  return quoted(visible(text));
}

/** The command that makes the same plan again, for what is parked by then. */
export function planCommand(plan: Wire<Plan>, flags: string): string {
  const { flow, action, filter, options } = plan;
  const more = [
    options.ratePerSecond === undefined ? '' : ` --rate ${options.ratePerSecond}/s`,
    options.ramp ? '' : ' --no-ramp',
    options.includeUncertain === true ? ' --include-uncertain' : '',
    options.acceptUnknown === true ? ' --accept-unknown' : '',
    options.ignoreDeadline === true ? ' --ignore-deadline' : '',
  ].join('');
  // Removing has no pace.
  return action === 'discard'
    ? layover(`discard ${flow}${filterFlags(filter)}`, flags)
    : layover(`plan ${flow}${filterFlags(filter)}${more}`, flags);
}
