/** `npm start`: the flows on this machine, with a real broker and a bad day. */
import { discoverFlows } from '../discover-flows.ts';
import { findBroker } from './broker/find.ts';
import { chooseFlows } from './choose-flows.ts';
import { interruption } from './interruption.ts';
import { keepRunning, verdictLine } from './keep.ts';
import { type LocalOptions, parseOptions } from './options.ts';
import { LocalRun } from './run.ts';
import { planScenario, SCENARIOS } from './scenarios/scenarios.ts';
import { setStage } from './stage.ts';
import { booksTable, booksVerdict } from './terminal/books-table.ts';
import { jsonLine } from './terminal/json-line.ts';
import { startProgress } from './terminal/progress.ts';
import { createScreen, type Screen } from './terminal/screen.ts';
import { headline, whereNext } from './terminal/words.ts';

/** Exit codes: the books balance; they don't, or the run failed; interrupted (128 + SIGINT). */
const EXIT = { balanced: 0, failed: 1, interrupted: 130 } as const;

/** A run of any size is published over this long, so that there is something to watch. */
const SPREAD_MS = 4_000;

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  const screen = createScreen(options.json ? process.stderr : process.stdout);
  const interrupt = interruption(screen, EXIT.interrupted);
  try {
    await using cleanup = new AsyncDisposableStack();
    return await perform(options, screen, interrupt.signal, cleanup);
  } catch (error) {
    screen.settle();
    if (interrupt.signal.aborted) return EXIT.interrupted;
    screen.print(screen.paint.bad(explain(error)));
    return EXIT.failed;
  }
}

async function perform(
  options: LocalOptions,
  screen: Screen,
  signal: AbortSignal,
  cleanup: AsyncDisposableStack,
): Promise<number> {
  const print = (line: string): void => screen.print(line);
  const flows = chooseFlows(await discoverFlows(), SCENARIOS, {
    names: options.flow,
    keep: options.keep,
  });
  const scenarios = flows.flatMap(({ scenario }) => (scenario === undefined ? [] : [scenario]));
  const plans = planScenario(scenarios, options);
  const counts = new Map([...plans].map(([flow, { messages }]) => [flow, messages.length]));
  print(screen.paint.bold(headline(options, counts)));

  const broker = await findBroker({ print, env: process.env, signal });
  cleanup.defer(() => broker.stop());
  let keeping = false;
  const stage = await setStage(
    {
      broker,
      flows,
      plans,
      speed: options.speed,
      handBack: options.handBack,
      replay: options.replay,
      verbose: options.keep,
      print,
      onTrouble: (text) => {
        if (!signal.aborted) print(screen.paint.warn(text));
      },
      onVerdict: (verdict) => {
        if (keeping) print(verdictLine(verdict));
      },
      onOutput: (line) => {
        if (keeping) print(line);
      },
    },
    cleanup,
  );
  signal.throwIfAborted();

  let code: number = EXIT.balanced;
  if (options.messages > 0 && plans.size > 0) {
    const run = new LocalRun(stage, {
      broker,
      plans,
      kill: options.kill,
      spreadMs: SPREAD_MS,
      print,
      signal,
    });
    code = await showRun(run, options, screen, broker.version);
  }
  if (options.keep) {
    keeping = true;
    await keepRunning({ stage, broker, print, signal });
  } else if (!options.json) {
    for (const line of whereNext(flows[0]?.flow.name ?? 'orders')) print(line);
  }
  return code;
}

async function showRun(
  run: LocalRun,
  { json }: LocalOptions,
  screen: Screen,
  version: string,
): Promise<number> {
  screen.print('');
  const progress = startProgress(screen, () => run.snapshot());
  const { perFlow, all, elapsedMs } = await run.run().finally(() => progress.stop());
  screen.print('');
  screen.print(booksTable(perFlow, all, screen.paint));
  for (const line of booksVerdict(all, screen.paint)) screen.print(line);
  screen.print(`${version}, ${(elapsedMs / 1000).toFixed(1)} s`);
  if (json) process.stdout.write(`${jsonLine(all, version, elapsedMs)}\n`);
  return all.balanced ? EXIT.balanced : EXIT.failed;
}

/** Errors made for people are a message; of anything else the stack is worth having. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const forPeople = 'code' in error && error.name !== 'Error' && error.name !== 'TypeError';
  return forPeople ? error.message : (error.stack ?? error.message);
}

process.exitCode = await main();
