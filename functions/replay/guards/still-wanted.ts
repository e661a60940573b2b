import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

/** Holds when the flow's own `stillWanted` said true; a function that throws says nothing. */
export function stillWanted(answer: Reading<boolean>): GuardAnswer {
  return judged('still-wanted', answer, (wanted) =>
    wanted === true ? HOLDS : refuses('still-wanted', 'the flow no longer wants it'),
  );
}
