import { lostCount } from './books.ts';
import type { LoadResult } from './mixed-load.ts';

/** The last line of `npm run chaos -- --json`. */
export interface ChaosReport {
  readonly messages: number;
  /** Deaths at planned points, runs of poison, and what befell the whole flow. */
  readonly faults: number;
  /** In no final place. */
  readonly lost: number;
  /** At a downstream that ignores the idempotency key. */
  readonly appliedTwice: number;
  /** Runs cut between side effect and record: the most that appliedTwice may be. */
  readonly explained: number;
  readonly overCap: number;
  /** Innocents parked as poison and culprits that were not. */
  readonly wronglyConvicted: number;
  readonly broker: string;
  readonly seconds: number;
}

export function reportOf(result: LoadResult, broker: string): ChaosReport {
  const { books } = result;
  return {
    messages: result.messages,
    faults: result.fired.length + result.disasters.length,
    lost: lostCount(books),
    appliedTwice: books.appliedTwice.ignoring,
    explained: result.explained.length,
    overCap: books.overCap.length,
    wronglyConvicted: books.wronglyConvicted.length,
    broker,
    seconds: Math.round(result.seconds * 10) / 10,
  };
}

/** What is wrong with a run, a line each; none means that every promise was kept. */
export function problemsOf({ books, explained }: LoadResult): string[] {
  const problems: string[] = [];
  const say = (what: string, ids: readonly string[]) => {
    if (ids.length > 0) problems.push(`${what}: ${ids.join(', ')}`);
  };
  say(`no final place, with ${books.inFlight} still on their way`, books.lost);
  if (books.inFlight > 0) problems.push(`not at rest: ${books.inFlight} still on their way`);
  say('done and parked', books.torn);
  say('parked more often than its copies can tell', books.surplus);
  say('more attempts than the cap', books.overCap);
  say('wrongly convicted, or a culprit at large', books.wronglyConvicted);
  const cut = new Set(explained.map(({ id }) => id));
  say(
    'applied twice without having been cut between effect and record',
    books.messages.filter(({ id, effects }) => effects > 1 && !cut.has(id)).map(({ id }) => id),
  );
  if (books.appliedTwice.ignoring > explained.length) {
    problems.push(
      `applied twice ${books.appliedTwice.ignoring} times, explained ${explained.length}`,
    );
  }
  if (books.appliedTwice.honouring > 0) {
    problems.push(`applied twice where the key is honoured: ${books.appliedTwice.honouring} times`);
  }
  return problems;
}

/** For people: what happened, and what became of it. */
export function describe(result: LoadResult, broker: string): string {
  const report = reportOf(result, broker);
  const { fired, disasters, explained, books, unfired } = result;
  const parked = books.messages.flatMap((message) => message.parked);
  const lines = [
    `${report.messages} messages on ${broker} in ${report.seconds} s, handed back by ${result.handBack}`,
    '',
    `${report.faults} faults`,
    ...counted(
      fired.filter(({ poison }) => !poison).map(({ point, place }) => `killed ${point} (${place})`),
    ),
    ...counted(
      fired.filter(({ poison }) => poison).map(({ way, place }) => `poison: ${way} (${place})`),
    ),
    ...counted(disasters),
    ...(unfired.length > 0 ? [`  ${unfired.length} planned kills found no occasion`] : []),
    '',
    `${books.messages.filter(({ effects }) => effects > 0).length} done, ${parked.length} parked`,
    ...counted(parked.map((name) => `parked as ${name}`)),
    '',
    `lost ${report.lost}, over the cap ${report.overCap}, wrongly convicted ${report.wronglyConvicted}`,
    `applied twice ${report.appliedTwice} (where the key is honoured: ${books.appliedTwice.honouring}), explained ${report.explained}`,
    ...explained.map(({ id, pid }) => `  ${explanation(id, pid, fired)}`),
  ];
  return lines.join('\n');
}

function explanation(id: string, pid: number, fired: LoadResult['fired']): string {
  const fault = fired.find((one) => one.pid === pid);
  if (fault === undefined) return `${id}: its function was killed from outside or timed out`;
  if (fault.id === id) return `${id}: killed between its side effect and its record`;
  return `${id}: between its side effect and its record when ${fault.id} was killed ${fault.point}`;
}

function counted(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, times]) => `  ${String(times).padStart(4)} × ${name}`);
}
