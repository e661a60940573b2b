import type { Answers, Wire } from '../../functions/replay/operations/answers.ts';
import { textTable } from '../output.ts';
import { at, counts, messages, who } from './words.ts';

type Line = Wire<Answers['audit']>[number];
type Event = Line['event'];

const IDS_SHOWN = 3;

/** The audit as a table, oldest first: as it happened. */
export function auditText(lines: readonly Line[]): string {
  if (lines.length === 0) return 'The audit has no such lines.';
  const rows = [...lines]
    .reverse()
    .map((line) => [at(line.at), line.run ?? '-', line.event.kind, eventText(line.event)]);
  return textTable(['when', 'run', 'what', ''], rows);
}

function eventText(event: Event): string {
  switch (event.kind) {
    case 'started': {
      const { order, action, selected, options } = event;
      const ticket = order.ticket === undefined ? '' : ` (${order.ticket})`;
      const pace = [
        options?.ramp === false ? ', no ramp' : '',
        options?.ratePerSecond === undefined ? '' : `, ${options.ratePerSecond}/s`,
      ].join('');
      return `${action} of ${messages(selected)} by ${who(order.by)}: ${order.reason}${ticket}${pace}`;
    }
    case 'adopted':
      return `another worker went on, ${messages(event.uncertain)} in doubt`;
    case 'moved':
    case 'presumed-moved':
    case 'removed-as-duplicate':
    case 'removed-as-superseded':
    case 'discarded':
      return idsText(event.ids);
    case 'left':
      return `${event.reason}: ${idsText(event.ids)}`;
    case 'exported':
      return `${messages(event.count)} to ${event.to}, sha256 ${event.sha256}`;
    case 'cancel-asked':
      return `by ${who(event.by)}`;
    case 'ended': {
      const left = counts(event.leftovers);
      const depths = `parked ${event.depthBefore ?? '?'} before, ${event.depthAfter ?? '?'} after`;
      return `${event.state}: ${event.why}; ${counts({ ...event.counters, slices: 0 }) || 'nothing moved'}${left === '' ? '' : `; left: ${left}`}; ${depths}`;
    }
    case 'skipped':
    case 'observed':
      return [counts(event.because), event.detail].filter((part) => part !== '').join('; ');
    case 'switched':
      return `to ${event.to} by ${who(event.by)}: ${event.reason}`;
    case 'paused':
    case 'resumed': {
      const states = event.pollers.map(({ state }) => state).join(', ');
      return `by ${who(event.by)}: ${event.reason}; pollers ${states || 'none'}`;
    }
  }
}

function idsText(ids: readonly string[]): string {
  const shown = ids.slice(0, IDS_SHOWN).join(', ');
  return `${messages(ids.length)}: ${shown}${ids.length > IDS_SHOWN ? ', …' : ''}`;
}
