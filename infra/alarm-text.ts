import type { Flow } from '../functions/policy/types.ts';
import type { AlarmSpec, CommandNames } from './alarm-table.ts';

/** CloudWatch takes this many characters. */
const MAX_TEXT = 1_024;

/** What the notification says: what it means, who owns it, what customers notice, and what to type first. */
export function alarmText(spec: AlarmSpec, names: CommandNames, flow?: Flow): string {
  const command = `First: ${spec.firstCommand(names)}`;
  const lines = [
    spec.meaning,
    ...(flow === undefined
      ? []
      : [`Flow: ${flow.name}. Owner: ${flow.owner}.`, `Impact: ${flow.impact}`]),
    `Runbook: docs/runbooks/${spec.id}.md${flow === undefined ? '' : `; the flow's own: ${flow.runbook}`}`,
  ];
  const room = MAX_TEXT - command.length - 1;
  // A team may write at length; the command is what must arrive whole.
  return `${lines.join('\n').slice(0, room)}\n${command}`;
}
