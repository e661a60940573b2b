import { describe, expect, it } from 'vitest';
import { follow } from '../../../../cli/operate/follow.ts';
import { WORK_MS } from '../../../../cli/operate/run-worker.ts';
import type { Operator } from '../../../../cli/operator/operator.ts';
import { OperatorError } from '../../../../cli/operator/operator-error.ts';
import { STEP_PATIENCE_MS } from '../../../../functions/replay/ramp.ts';
import type { RunState } from '../../../../functions/replay/run-state.ts';

interface Script {
  /** What of the run differs from one nobody waits for. */
  readonly moved?: { readonly moved: number; readonly outcomesUnknown: number };
  readonly watch: readonly (RunState | OperatorError)[];
  readonly go?: readonly ('ended' | 'time' | OperatorError)[];
}

const slow = new OperatorError('NETWORK', 'no answer');
const held = new OperatorError('LOCK_HELD', 'run r is being worked on');

/** Answers as written, the last one for ever; each wait moves the clock. */
function scripted({ watch, go = [], moved }: Script) {
  const asked: string[] = [];
  let nowMs = 0;
  const runOf = (state: RunState) => ({
    id: 'r',
    state,
    plan: { selected: 12 },
    counters: moved === undefined ? {} : { moved: moved.moved },
    leftovers: {},
    ...(moved === undefined ? {} : { outcomesUnknown: moved.outcomesUnknown }),
  });
  const next = <T>(list: readonly T[], operation: string): T => {
    const count = asked.filter((each) => each === operation).length;
    asked.push(operation);
    return list[Math.min(count, list.length - 1)] as T;
  };
  const operator = {
    environment: 'dev',
    ask: async (operation: string) => {
      if (operation === 'watch') {
        const answer = next(watch, operation);
        if (answer instanceof OperatorError) throw answer;
        return runOf(answer);
      }
      const answer = next(go, operation);
      if (answer instanceof OperatorError) throw answer;
      if (answer === 'ended') return { kind: 'ended', run: runOf('done') };
      const why = 'the time of this worker is over';
      return { kind: 'to-be-continued', run: runOf('running'), why };
    },
  } as unknown as Operator;
  const changes: string[] = [];
  const notes: string[] = [];
  const start = (work: boolean, timeoutMs = 60_000) =>
    follow(operator, {
      run: 'r',
      work,
      permission: 'view',
      timeoutMs,
      onChange: ({ state }) => changes.push(state),
      onNote: (text) => notes.push(text),
      now: () => nowMs,
      wait: async (ms) => {
        nowMs += ms;
      },
    });
  return { start, asked, changes, notes, elapsedMs: () => nowMs };
}

describe('following a run', () => {
  it('tells each change once, and ends when the run does', async () => {
    const run = scripted({ watch: ['running', 'running', 'running', 'done'] });
    expect((await run.start(false)).state).toBe('done');
    expect(run.changes).toEqual(['running', 'done']);
    expect(run.asked).not.toContain('continue');
  });

  it('ends when the time is over, with the run as it is then', async () => {
    const run = scripted({ watch: ['running'] });
    expect((await run.start(false, 10_000)).state).toBe('running');
    expect(run.elapsedMs()).toBe(10_000);
    expect(run.asked.length).toBeLessThan(20);
  });

  it('asks for more time than a step of a ramp may wait, else no step would ever end', () => {
    // A worker keeps five seconds of its time for itself.
    expect(WORK_MS - 5_000).toBeGreaterThan(STEP_PATIENCE_MS);
  });

  it('says once that it waits for outcomes, at the end of a step only', async () => {
    const watch = [...Array.from({ length: 9 }, () => 'running' as const), 'done' as const];
    const notesOf = async (moved: number, outcomesUnknown: number) => {
      const run = scripted({ watch, moved: { moved, outcomesUnknown } });
      await run.start(false);
      return run.notes;
    };
    expect(await notesOf(1, 1)).toEqual([
      'Waiting for the outcome of 1 message, a minute at most.',
    ]);
    expect(await notesOf(11, 4)).toEqual([
      'Waiting for the outcome of 4 messages, a minute at most.',
    ]);
    expect(await notesOf(12, 2)).toHaveLength(1);
    expect(await notesOf(5, 4)).toEqual([]);
    expect(await notesOf(11, 0)).toEqual([]);
  });

  it('survives two answers that fail in a row, not three', async () => {
    const twice = scripted({ watch: [slow, slow, 'running', slow, 'done'] });
    expect((await twice.start(false)).state).toBe('done');
    const thrice = scripted({ watch: ['running', slow] });
    await expect(thrice.start(false)).rejects.toThrow('no answer');
  });

  it('does not ask again who is told no', async () => {
    const run = scripted({ watch: [new OperatorError('NO_PERMISSION', 'you may not')] });
    await expect(run.start(false)).rejects.toThrow('you may not');
    expect(run.asked).toHaveLength(1);
  });

  it('works on the run, request after request, while nobody else does', async () => {
    const run = scripted({
      watch: ['running', 'running', 'running', 'running', 'done'],
      go: ['time', 'time', 'ended'],
    });
    expect((await run.start(true)).state).toBe('done');
    expect(run.asked.filter((operation) => operation === 'continue')).toHaveLength(3);
    expect(run.notes).toEqual([]);
  });

  it('only watches while somebody else works on it, and says so once', async () => {
    const watch = [...Array.from({ length: 9 }, () => 'running' as const), 'done' as const];
    const run = scripted({ watch, go: [held] });
    expect((await run.start(true)).state).toBe('done');
    expect(run.notes).toEqual(['Another worker is on this run; watching it.']);
    expect(run.asked.filter((operation) => operation === 'continue').length).toBeGreaterThan(1);
  });

  it('ends with what stops the work for good', async () => {
    const broken = new OperatorError('PLAN_DAMAGED', 'make a new plan');
    const run = scripted({ watch: ['running'], go: [broken] });
    await expect(run.start(true)).rejects.toThrow('make a new plan');
  });
});
