import { LocalRunError } from './errors.ts';
import type { Screen } from './terminal/screen.ts';

/** First Ctrl-C (or SIGTERM): the signal aborts, and the run ends in order. Second: the process ends now. */
export function interruption(screen: Screen, exitCode: number): AbortController {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(exitCode);
    screen.settle();
    screen.print('Ending: taking back what this run created. Ctrl-C again leaves at once.');
    controller.abort(new LocalRunError('CANCELLED', 'interrupted'));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller;
}
