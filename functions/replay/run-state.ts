/** A run only ever moves forward: planned → running → (halted | cancelled | done). */
export const RUN_STATES = ['planned', 'running', 'halted', 'cancelled', 'done'] as const;
export type RunState = (typeof RUN_STATES)[number];
export type EndState = Extract<RunState, 'halted' | 'cancelled' | 'done'>;

const NEXT: Readonly<Record<RunState, readonly RunState[]>> = {
  planned: ['running', 'cancelled'],
  running: ['halted', 'cancelled', 'done'],
  halted: [],
  cancelled: [],
  done: [],
};

export function mayBecome(from: RunState, to: RunState): boolean {
  return NEXT[from].includes(to);
}

/** States from which `to` may be reached: the condition a store puts on its write. */
export function statesBefore(to: RunState): readonly RunState[] {
  return RUN_STATES.filter((from) => mayBecome(from, to));
}

export function isOver(state: RunState): state is EndState {
  return NEXT[state].length === 0;
}

export function isRunState(value: unknown): value is RunState {
  return RUN_STATES.some((state) => state === value);
}
