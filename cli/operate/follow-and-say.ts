import type { Wire } from '../../functions/replay/operations/answers.ts';
import type { WatchedRun } from '../../functions/replay/operations/watch.ts';
import type { Permission } from '../../functions/replay/operator.ts';
import { isOver } from '../../functions/replay/run-state.ts';
import { createScreen } from '../../infra/local/terminal/screen.ts';
import type { Operator } from '../operator/operator.ts';
import { print, printJson, say, visible } from '../output.ts';
import { layover } from './commands.ts';
import { follow } from './follow.ts';
import { endText, isAllMoved, isComplete, progressText, runJson } from './run-text.ts';
import { messages } from './words.ts';

/** The run is over, or the watching is, without everything being done. */
export class RunOutcomeError extends Error {
  override readonly name = 'RunOutcomeError';
  readonly code: 'RUN_INCOMPLETE' | 'RUN_NOT_OVER';

  constructor(code: RunOutcomeError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export interface Following {
  readonly run: string;
  readonly work: boolean;
  readonly permission: Permission;
  readonly timeoutMs: number;
  readonly json: boolean;
}

/**
 * Follows a run until it is over and says how it goes: on a terminal one line that changes, else a line
 * for each change.
 * @throws RunOutcomeError unless everything planned was done
 */
export async function followAndSay(operator: Operator, following: Following): Promise<void> {
  const { run: id, json } = following;
  const { flags } = operator;
  const screen = createScreen(process.stderr);
  let said = '';
  const onChange = (run: Wire<WatchedRun>) => {
    if (json) return printJson(runJson(run));
    const line = `${run.flow} ${run.state}: ${visible(progressText(run))}`;
    if (line === said) return;
    said = line;
    if (screen.live) screen.draw([line]);
    else say(line);
  };
  const interrupted = () => {
    // What works on it here stops with this process; the lease ends and the next worker takes over.
    const more = following.work && !operator.deployed ? ' --continue' : '';
    say(
      `\nNo longer watching; the run is not stopped by that.\nWatch it:  ${layover(`watch ${id}${more}`, flags)}\nStop it:  ${layover(`cancel ${id}`, flags)}`,
    );
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  try {
    const run = await follow(operator, {
      ...following,
      onChange,
      onNote: (text) => say(visible(text)),
    });
    screen.settle();
    conclude(run, json, flags);
  } finally {
    process.removeListener('SIGINT', interrupted);
  }
}

function conclude(run: Wire<WatchedRun>, json: boolean, flags: string): void {
  if (!isOver(run.state)) {
    const text = `Run ${run.id} is not over yet: ${progressText(run)}. Go on watching: ${layover(`watch ${run.id}`, flags)}`;
    throw new RunOutcomeError('RUN_NOT_OVER', text);
  }
  if (!json) print(endText(run, flags));
  if (isComplete(run)) return;
  const { state, outcomesUnknown = 0, failedAgain = 0 } = run;
  const text = isAllMoved(run)
    ? `Everything was moved; how ${messages(outcomesUnknown)} ended is not known, ${failedAgain} failed again.`
    : `Not everything that was planned was done: ${state}, ${progressText(run)}.`;
  throw new RunOutcomeError('RUN_INCOMPLETE', text);
}
