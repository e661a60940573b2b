import { type GuardAnswer, HOLDS, judged, type Reading, refuses } from './types.ts';

/** What the flow's idempotency record says of a message. `completed` is no refusal: it is removed as a duplicate. */
export type WorkState = 'none' | 'completed' | 'in-progress';

/** Holds unless somebody is working on the message right now. */
export function inProgress(state: Reading<WorkState>): GuardAnswer {
  return judged('in-progress', state, (value) =>
    value === 'in-progress' ? refuses('in-progress', 'a handler is working on it') : HOLDS,
  );
}
