import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EarliestTimer, withDeadline } from '../../../functions/broker/deadline.ts';

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

const late = () => new Error('late');

describe('withDeadline', () => {
  it('gives what the work gives, and leaves no timer behind', async () => {
    const result = await withDeadline(Promise.resolve(7), 1_000_500, Date.now, late);

    expect(result).toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives the work’s own error', async () => {
    const failing = Promise.reject(new Error('own'));

    await expect(withDeadline(failing, 1_000_500, Date.now, late)).rejects.toThrow('own');
  });

  it('gives up at the deadline, and ignores what the work does later', async () => {
    const work = Promise.withResolvers<never>();
    const limited = withDeadline(work.promise, 1_000_500, Date.now, late);
    const outcome = expect(limited).rejects.toThrow('late');

    await vi.advanceTimersByTimeAsync(500);
    work.reject(new Error('too late to matter'));

    await outcome;
  });

  it('a deadline further off than a timer can count is not one that has passed', async () => {
    const work = Promise.withResolvers<string>();
    const limited = withDeadline(work.promise, 1_000_000 + 2 ** 40, Date.now, late);

    await vi.advanceTimersByTimeAsync(60_000);
    work.resolve('in time');

    expect(await limited).toBe('in time');
  });
});

describe('EarliestTimer', () => {
  it('calls at the earliest of all times, once', async () => {
    const calls: number[] = [];
    const timer = new EarliestTimer(Date.now, () => calls.push(Date.now()));
    timer.arm(1_000_300);
    timer.arm(1_000_100);
    timer.arm(1_000_200);

    await vi.advanceTimersByTimeAsync(1_000);

    expect(calls).toEqual([1_000_100]);
  });

  it('can be armed again from within the call', async () => {
    const calls: number[] = [];
    const timer = new EarliestTimer(Date.now, () => {
      calls.push(Date.now());
      if (calls.length === 1) timer.arm(1_000_200);
    });
    timer.arm(1_000_100);

    await vi.advanceTimersByTimeAsync(1_000);

    expect(calls).toEqual([1_000_100, 1_000_200]);
  });

  it('disarmed, it does not call and holds no process open', async () => {
    let calls = 0;
    const timer = new EarliestTimer(Date.now, () => {
      calls += 1;
    });
    timer.arm(1_000_100);
    timer.disarm();

    await vi.advanceTimersByTimeAsync(1_000);

    expect(calls).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
