import { plainLine, progressLines } from './progress-lines.ts';
import type { Screen } from './screen.ts';
import type { Snapshot } from './snapshot.ts';

export interface Progress {
  /** Ends the display; the last picture stays on a terminal. */
  stop(): Promise<void>;
}

const LIVE_EVERY_MS = 250;
const PLAIN_EVERY_MS = 2_000;

/** Shows a run while it goes: redrawn on a terminal, a line now and then when piped. */
export function startProgress(screen: Screen, snapshot: () => Promise<Snapshot>): Progress {
  let stopped = false;
  let wake: () => void = () => {};

  const show = async (): Promise<void> => {
    const moment = await snapshot();
    if (screen.live) screen.draw(progressLines(moment, screen.paint));
    else screen.print(plainLine(moment));
  };
  const loop = (async () => {
    while (!stopped) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, screen.live ? LIVE_EVERY_MS : PLAIN_EVERY_MS).unref();
      });
      // A connection that is just being closed has no counts; that ends the display, not the run.
      if (!stopped) await show().catch(() => {});
    }
    if (screen.live) await show().catch(() => {});
    screen.settle();
  })();
  return {
    stop() {
      stopped = true;
      wake();
      return loop;
    },
  };
}
