import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LoggedVerdict } from './books/log-book.ts';
import type { RunningBroker } from './broker/types.ts';
import { announce } from './running.ts';
import type { Stage } from './stage.ts';

export interface KeepOptions {
  readonly stage: Stage;
  readonly broker: RunningBroker;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

const FUNCTIONS_FOLDER = fileURLToPath(new URL('../../functions/', import.meta.url));

/** Editors write a file in several steps. */
const SETTLE_MS = 150;

/** Stays up until interrupted; handlers are bundled again whenever a file of theirs changes. */
export async function keepRunning({ stage, broker, print, signal }: KeepOptions): Promise<void> {
  const names = stage.actors.map(({ flow }) => flow.name);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(
    await announce({
      pid: process.pid,
      startedAtMs: Date.now(),
      amqpUrl: broker.url,
      flows: names,
      env: stage.env,
    }),
  );
  print('');
  print(
    `Staying up for ${names.join(', ')}. Handlers are bundled again when you save. Ctrl-C ends it.`,
  );
  print('Send a message from another terminal, which finds this run by itself:');
  print(`  npm run -s layover -- send ${names[0]} body.json`);
  if (broker.source !== 'AMQP_URL') {
    // A broker started for this run is at a place of its own; other tools have to be told.
    print(`Its broker, for tools of your own: ${broker.url}`);
  }

  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(FUNCTIONS_FOLDER, { recursive: true }, (_event, file) => {
    if (file?.endsWith('.ts') !== true) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      stage.rebundle().then(
        () => print(`${file} changed: bundled again`),
        (error: unknown) => print(error instanceof Error ? error.message : String(error)),
      );
    }, SETTLE_MS);
  });
  cleanup.defer(() => {
    clearTimeout(timer);
    watcher.close();
  });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** One line about what became of a message. */
export function verdictLine(verdict: LoggedVerdict): string {
  const { flow, messageId, attempt, errorMessage } = verdict;
  const kind = verdict.class === undefined ? '' : ` (${verdict.class})`;
  const to = verdict.to === undefined ? '' : ` → ${verdict.to}`;
  const why = errorMessage === undefined ? '' : `: ${errorMessage}`;
  return `${flow} ${messageId} attempt ${attempt ?? '?'} ${verdict.verdict}${kind}${to}${why}`;
}
