import { afterStep } from './ramp.ts';
import type { Stop } from './stop.ts';
import { regression } from './watch.ts';
import type { Work } from './work.ts';

/** Between two looks; quick at first, since consumers mostly are. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 3_000;

/** Waits until every message moved so far has an outcome, one failed again, or a minute is over. */
export async function awaitOutcomes(work: Work, stop: Stop): Promise<void> {
  const { ports, run, progress } = work;
  const beganMs = ports.now();
  for (let pauseMs = FIRST_PAUSE_MS; stop.reason === undefined; pauseMs *= 1.5) {
    const outcomes = await ports.store.outcomes.of(run.id);
    const answer = afterStep(outcomes, progress.outcomesExpected, ports.now() - beganMs);
    if (answer === 'halt') stop.because(regression(outcomes.failed));
    if (answer !== 'wait') return;
    await ports.wait(Math.min(pauseMs, LONGEST_PAUSE_MS), stop.signal);
  }
}
