import type { DownstreamSnapshot, FlowSnapshot, Snapshot } from './snapshot.ts';

/** How text is emphasised; plain when piped. */
export interface Paint {
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
}

const BAR_WIDTH = 24;

/** The display of one moment: a row per flow with the depth of its queues, then attempts. */
export function progressLines(snapshot: Snapshot, paint: Paint): string[] {
  const width = Math.max(...snapshot.flows.map(({ name }) => name.length), 9);
  const lines = snapshot.flows.map((flow) => flowLine(flow, width, paint));
  lines.push(...attemptLines(snapshot.flows, width, paint));
  for (const downstream of snapshot.downstreams) {
    lines.push(`  ${paint.dim(downstream.name.padEnd(width))}  ${downstreamText(downstream)}`);
  }
  const seconds = `${(snapshot.elapsedMs / 1000).toFixed(0)} s`;
  lines.push(paint.dim(`  ${seconds}, ${snapshot.published} published`));
  return lines;
}

function flowLine(flow: FlowSnapshot, width: number, paint: Paint): string {
  const cell = (label: string, messages: number, strong = paint.bold): string => {
    const figure = String(messages).padStart(4);
    return `${paint.dim(label)} ${messages === 0 ? paint.dim(figure) : strong(figure)}`;
  };
  return [
    `  ${paint.bold(flow.name.padEnd(width))}`,
    cell('ready', flow.ready),
    cell('working', flow.held),
    ...flow.tiers.map(({ delay, messages }) => cell(`wait ${delay}`, messages, paint.warn)),
    cell('isolated', flow.isolated, paint.warn),
    cell('parked', flow.parked, paint.bad),
  ].join('  ');
}

function attemptLines(flows: readonly FlowSnapshot[], width: number, paint: Paint): string[] {
  const runs = new Map<number, number>();
  for (const flow of flows) {
    for (const [attempt, times] of flow.handlerRuns) {
      runs.set(attempt, (runs.get(attempt) ?? 0) + times);
    }
  }
  const most = Math.max(...runs.values(), 1);
  return [...runs]
    .sort(([a], [b]) => a - b)
    .map(([attempt, times]) => {
      const bar = '█'.repeat(Math.max(1, Math.round((times / most) * BAR_WIDTH)));
      const label = `attempt ${attempt}`.padEnd(width);
      return `  ${paint.dim(label)}  ${paint.good(bar)} ${times}`;
    });
}

/** `380 accepted, 41 refused (503 ×30, cut off ×11)` */
export function downstreamText({ accepted, refusals }: DownstreamSnapshot): string {
  const refused = [...refusals.values()].reduce((sum, times) => sum + times, 0);
  if (refused === 0) return `${accepted} accepted`;
  const kinds = [...refusals]
    .sort(([, a], [, b]) => b - a)
    .map(([status, times]) => `${status === 0 ? 'cut off' : status} ×${times}`);
  return `${accepted} accepted, ${refused} refused (${kinds.join(', ')})`;
}

/** The same moment in one line, for a pipe or a log file. */
export function plainLine(snapshot: Snapshot): string {
  const flows = snapshot.flows.map((flow) => {
    const waiting = flow.tiers.reduce((sum, { messages }) => sum + messages, 0);
    const isolated = flow.isolated === 0 ? '' : `, ${flow.isolated} isolated`;
    return `${flow.name}: ${flow.ready + flow.held} to do, ${waiting} waiting${isolated}, ${flow.parked} parked`;
  });
  const seconds = `${(snapshot.elapsedMs / 1000).toFixed(0)} s`.padStart(5);
  return `${seconds}  ${flows.join(' · ')}`;
}
