import { describe, expect, it } from 'vitest';
import { verdictLine } from '../../../infra/local/keep.ts';
import { runKiller } from '../../../infra/local/killer.ts';

const never = new AbortController().signal;

describe('the killer', () => {
  it('kills as often as told, spread over the first part of the run', async () => {
    let accepted = 0;
    const killedAt: number[] = [];
    await runKiller({
      times: 2,
      messages: 100,
      accepted: () => ++accepted,
      kill: () => killedAt.push(accepted) > 0,
      onKill: () => {},
      signal: never,
    });
    expect(killedAt).toEqual([20, 40]);
  });

  it('waits for a moment at which the function runs', async () => {
    const busy = [false, false, true];
    const kills: number[] = [];
    await runKiller({
      times: 1,
      messages: 10,
      accepted: () => 10,
      kill: () => busy.shift() ?? true,
      onKill: (number) => kills.push(number),
      signal: never,
    });
    expect(kills).toEqual([1]);
    expect(busy).toEqual([]);
  });

  it('ends with the run when a kill is not due before', async () => {
    const over = new AbortController();
    const killing = runKiller({
      times: 1,
      messages: 10,
      accepted: () => {
        over.abort(new Error('the run is over'));
        return 0;
      },
      kill: () => true,
      onKill: () => {},
      signal: over.signal,
    });
    await expect(killing).rejects.toThrow('the run is over');
  });

  it('kills nobody when told to kill never', async () => {
    const kills: number[] = [];
    await runKiller({
      times: 0,
      messages: 10,
      accepted: () => 10,
      kill: () => true,
      onKill: (number) => kills.push(number),
      signal: never,
    });
    expect(kills).toEqual([]);
  });
});

describe('the line about a message while the run stays up', () => {
  const verdict = {
    messageId: 'm-1',
    flow: 'orders',
    verdict: 'retry',
    class: 'transient',
    attempt: 2,
    to: 'orders.wait.500ms',
    errorMessage: 'no answer',
  };

  it('says what became of it, where it is and why', () => {
    expect(verdictLine(verdict)).toBe(
      'orders m-1 attempt 2 retry (transient) → orders.wait.500ms: no answer',
    );
  });

  it('is short for a message that went well', () => {
    const done = {
      ...verdict,
      verdict: 'done',
      class: undefined,
      to: undefined,
      errorMessage: undefined,
    };
    expect(verdictLine(done)).toBe('orders m-1 attempt 2 done');
  });
});
