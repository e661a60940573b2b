import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

/**
 * Holds unless an earlier run may have moved the message: it died, or lost its broker, between
 * publishing the copy and giving up the original. A second copy is a person's decision.
 *
 * @param run the run in doubt, undefined when there is none
 */
export function uncertain(run: Reading<string | undefined>): GuardAnswer {
  return judged('uncertain', run, (id) =>
    id === undefined ? HOLDS : refuses('uncertain', `run ${id} may have moved it already`),
  );
}
