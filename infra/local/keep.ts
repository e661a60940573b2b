import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LoggedVerdict } from './books/log-book.ts';
import type { RunningBroker } from './broker/types.ts';
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
  print('');
  print(
    `Staying up for ${names.join(', ')}. Handlers are bundled again when you save. Ctrl-C ends it.`,
  );
  const send = `npm run -s layover -- send ${names[0]} body.json`;
  if (broker.source === 'AMQP_URL') {
    print(`Send a message from another terminal, with the same AMQP_URL: ${send}`);
  } else {
    // A broker started for this run is at a place of its own; the other terminal has to be told.
    print('Send a message from another terminal:');
    print(`  AMQP_URL=${shellWord(broker.url)} ${send}`);
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
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  clearTimeout(timer);
  watcher.close();
}

/** One line about what became of a message. */
export function verdictLine(verdict: LoggedVerdict): string {
  const { flow, messageId, attempt, errorMessage } = verdict;
  const kind = verdict.class === undefined ? '' : ` (${verdict.class})`;
  const to = verdict.to === undefined ? '' : ` → ${verdict.to}`;
  const why = errorMessage === undefined ? '' : `: ${errorMessage}`;
  return `${flow} ${messageId} attempt ${attempt ?? '?'} ${verdict.verdict}${kind}${to}${why}`;
}

function shellWord(text: string): string {
  return /^[\w:/@.%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
