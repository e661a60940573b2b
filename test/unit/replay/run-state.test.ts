import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isOver,
  isRunState,
  mayBecome,
  RUN_STATES,
  type RunState,
  statesBefore,
} from '../../../functions/replay/run-state.ts';

describe('the states of a run', () => {
  it('go from planned over running to one of three ends, and a plan may be cancelled', () => {
    const moves = RUN_STATES.flatMap((from) =>
      RUN_STATES.filter((to) => mayBecome(from, to)).map((to) => `${from} → ${to}`),
    );

    expect(moves).toEqual([
      'planned → running',
      'planned → cancelled',
      'running → halted',
      'running → cancelled',
      'running → done',
    ]);
  });

  it('never go back: no sequence of allowed moves visits a state twice', () => {
    const state = fc.constantFrom<RunState>(...RUN_STATES);
    fc.assert(
      fc.property(fc.array(state, { maxLength: 20 }), (wishes) => {
        let at: RunState = 'planned';
        const visited: RunState[] = [at];
        for (const wish of wishes) {
          if (!mayBecome(at, wish)) continue;
          at = wish;
          visited.push(at);
        }
        expect(new Set(visited).size).toBe(visited.length);
      }),
    );
  });

  it('know which states a store must find before it writes the next', () => {
    expect(statesBefore('running')).toEqual(['planned']);
    expect(statesBefore('cancelled')).toEqual(['planned', 'running']);
    expect(statesBefore('done')).toEqual(['running']);
    expect(statesBefore('planned')).toEqual([]);
  });

  it('tell an end from a state that goes on', () => {
    expect(RUN_STATES.filter(isOver)).toEqual(['halted', 'cancelled', 'done']);
    expect(isRunState('halted')).toBe(true);
    expect(isRunState('paused')).toBe(false);
    expect(isRunState(undefined)).toBe(false);
  });
});
