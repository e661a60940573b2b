import { Command } from 'commander';
import { auditText } from '../../operate/audit-text.ts';
import { momentOf, wholeNumber } from '../../operate/filter-options.ts';
import { operating, type Target, withTarget } from '../../operate/target.ts';
import { print, printJson } from '../../output.ts';

interface AuditOptions extends Target {
  readonly run?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly skipped?: true;
}

const HELP = `
The newest 100 lines, oldest first. Lines are never changed and never removed. Without a flow: what
concerns all of them, the switch for all.

Example:
  npm run -s layover -- audit orders --from 2h --env prod`;

export function auditCommand(): Command {
  const command = new Command('audit')
    .description('who moved, removed, switched what, when and why')
    .argument('[flow]', 'name of the flow')
    .option('--run <runId>', 'of one run')
    .option('--from <when>', 'from: a time, or 2h for two hours ago')
    .option('--to <when>', 'until: a time, or how long ago')
    .option('--skipped', 'also looks of the schedule that moved nothing, and which guard said no')
    .option('--limit <n>', 'so many lines at most, the newest; up to 1000');
  return withTarget(command).addHelpText('after', HELP).action(run);
}

async function run(flow: string | undefined, options: AuditOptions): Promise<void> {
  const { run: id, from, to, limit } = options;
  const nowMs = Date.now();
  const about = flow === undefined ? {} : { flow };
  const fields = {
    ...about,
    ...(id === undefined ? {} : { run: id }),
    skipped: options.skipped === true,
    ...(from === undefined ? {} : { from: momentOf('--from', from, nowMs) }),
    ...(to === undefined ? {} : { to: momentOf('--to', to, nowMs) }),
    ...(limit === undefined ? {} : { limit: wholeNumber('--limit', limit) }),
  };
  await operating(options, about, async (operator) => {
    const lines = await operator.ask('audit', fields);
    if (options.json) return printJson(lines);
    print(auditText(lines));
  });
}
