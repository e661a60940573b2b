import { describe, expect, it } from 'vitest';
import { OutOfTimeError, retryUntil } from '../../../functions/consumer/retry-until.ts';

const soon = (ms: number) => ({ untilMs: Date.now() + ms, now: Date.now });

describe('trying until the deadline', () => {
  it('gives the first answer it gets', async () => {
    expect(await retryUntil('answer', async () => 42, soon(1_000))).toBe(42);
  });

  it('tries again after an error, and tells of each', async () => {
    const errors: unknown[] = [];
    let calls = 0;
    const flaky = async () => {
      if (++calls < 3) throw new Error(`failure ${calls}`);
      return calls;
    };
    const options = { ...soon(5_000), onError: (error: unknown) => errors.push(error) };
    expect(await retryUntil('work', flaky, options)).toBe(3);
    expect(errors).toHaveLength(2);
  });

  it('throws the last error when time is over', async () => {
    let calls = 0;
    const broken = async () => {
      throw new Error(`failure ${++calls}`);
    };
    await expect(retryUntil('work', broken, soon(300))).rejects.toThrow(`failure`);
    expect(calls).toBeGreaterThan(1);
  });

  it('ends at once for an error that no try can mend', async () => {
    let calls = 0;
    const hopeless = async () => {
      calls++;
      throw new Error('too large');
    };
    const options = { ...soon(5_000), isRetryable: () => false };
    await expect(retryUntil('work', hopeless, options)).rejects.toThrow('too large');
    expect(calls).toBe(1);
  });

  it('ends by the deadline when an operation never answers', async () => {
    const silent = () => new Promise<never>(() => {});
    await expect(retryUntil('hear anything', silent, soon(50))).rejects.toThrow(OutOfTimeError);
  });

  it('does not start when no time is left', async () => {
    let calls = 0;
    const count = async () => ++calls;
    await expect(retryUntil('start', count, soon(-1))).rejects.toThrow('No time was left to start');
    expect(calls).toBe(0);
  });
});
