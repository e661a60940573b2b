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

const COLUMNS = ['ready', 'working', 'isolated', 'parked'] as const;

/** The display of one moment: a row per flow with the depth of its queues, then attempts. */
export function progressLines(snapshot: Snapshot, paint: Paint): string[] {
  const width = Math.max(...snapshot.flows.map(({ name }) => name.length), 9);
  const head = [''.padEnd(width), ...COLUMNS, 'waiting'].join('  ');
  const lines = [paint.dim(`  ${head}`)];
  lines.push(...snapshot.flows.map((flow) => flowLine(flow, width, paint)));
  lines.push(...attemptLines(snapshot.flows, width, paint));
  for (const downstream of snapshot.downstreams) {
    lines.push(`  ${paint.dim(downstream.name.padEnd(width))}  ${downstreamText(downstream)}`);
  }
  const seconds = `${(snapshot.elapsedMs / 1000).toFixed(0)} s`;
  const replayed = snapshot.replayed === 0 ? '' : `, ${snapshot.replayed} replayed`;
  lines.push(paint.dim(`  ${seconds}, ${snapshot.published} published${replayed}`));
  return lines;
}

/** The waits come last: a flow may have many, and a narrow terminal cuts the end of the line. */
function flowLine(flow: FlowSnapshot, width: number, paint: Paint): string {
  const figures = {
    ready: flow.ready,
    working: flow.held,
    isolated: flow.isolated,
    parked: flow.parked,
  };
  const emphasis = {
    ready: paint.bold,
    working: paint.bold,
    isolated: paint.warn,
    parked: paint.bad,
  };
  const cells = COLUMNS.map((column) => {
    const figure = String(figures[column]).padStart(column.length);
    return figures[column] === 0 ? paint.dim(figure) : emphasis[column](figure);
  });
  const waits = flow.tiers.map(({ delay, messages }) =>
    messages === 0 ? paint.dim(`${delay} 0`) : paint.warn(`${delay} ${messages}`),
  );
  return [`  ${paint.bold(flow.name.padEnd(width))}`, ...cells, waits.join('  ')].join('  ');
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
  const replayed = snapshot.replayed === 0 ? '' : ` · ${snapshot.replayed} replayed`;
  return `${seconds}  ${flows.join(' · ')}${replayed}`;
}
