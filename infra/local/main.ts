/** `npm start`: the flows on this machine, with a real broker and a bad day. */
import { discoverFlows } from '../discover-flows.ts';
import { findBroker } from './broker/find.ts';
import { chooseFlows } from './choose-flows.ts';
import { LocalRunError } from './errors.ts';
import { keepRunning, verdictLine } from './keep.ts';
import { type LocalOptions, parseOptions } from './options.ts';
import { LocalRun } from './run.ts';
import { planScenario, SCENARIOS } from './scenarios/scenarios.ts';
import { type Stage, setStage } from './stage.ts';
import { booksTable, booksVerdict } from './terminal/books-table.ts';
import { jsonLine } from './terminal/json-line.ts';
import { startProgress } from './terminal/progress.ts';
import { createScreen, type Screen } from './terminal/screen.ts';

/** Exit codes: the books balance; they don't, or the run failed; interrupted (128 + SIGINT). */
const EXIT = { balanced: 0, failed: 1, interrupted: 130 } as const;

/** A run of any size is published over this long, so that there is something to watch. */
const SPREAD_MS = 4_000;

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  const screen = createScreen(options.json ? process.stderr : process.stdout);
  const interrupt = interruption(screen);
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
  print(
    screen.paint.bold(
      headline(
        options,
        [...plans].map(([flow, { messages }]) => `${messages.length} ${flow}`),
      ),
    ),
  );

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
    whereNext(stage, print);
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

function headline(options: LocalOptions, parts: readonly string[]): string {
  const { messages, seed, speed } = options;
  const list = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  return `Layover: ${messages} messages${list}, seed ${seed}, time ${speed} times as fast`;
}

function whereNext({ actors }: Stage, print: (line: string) => void): void {
  const name = actors[0]?.flow.name ?? 'orders';
  print('');
  print('Where to look next:');
  print(
    `  npm run -s layover -- explain ${name}   its schedule, and what happens to each kind of failure`,
  );
  print('  npm start -- --keep                   stay up while you write a handler');
  print('  README.md                             one message’s life, and how to write a flow');
}

/** First Ctrl-C: end in order. Second: end now. */
function interruption(screen: Screen): AbortController {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    screen.settle();
    screen.print('Ending: taking back what this run created. Ctrl-C again to leave at once.');
    controller.abort(new LocalRunError('CANCELLED', 'interrupted'));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller;
}

/** Errors made for people are a message; of anything else the stack is worth having. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const forPeople = 'code' in error && error.name !== 'Error' && error.name !== 'TypeError';
  return forPeople ? error.message : (error.stack ?? error.message);
}

process.exitCode = await main();
