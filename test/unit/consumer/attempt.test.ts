import { describe, expect, it } from 'vitest';
import { HandlerTimeoutError, runAttempt } from '../../../functions/consumer/attempt.ts';

describe('running a handler once', () => {
  it('is fine when the handler returns, whatever it returns', async () => {
    expect(await runAttempt(() => ({ anything: 1 }), 1_000)).toEqual({ ok: true });
    expect(await runAttempt(async () => undefined, 1_000)).toEqual({ ok: true });
  });

  it('passes on what the handler threw, synchronous or not', async () => {
    const boom = new Error('boom');
    const sync = await runAttempt(() => {
      throw boom;
    }, 1_000);
    const later = await runAttempt(() => Promise.reject(undefined), 1_000);
    expect(sync).toEqual({ ok: false, thrown: boom });
    expect(later).toEqual({ ok: false, thrown: undefined });
  });

  it('aborts the signal when time is over, and calls the abort our own timeout', async () => {
    const end = await runAttempt((signal) => rejectWhenAborted(signal()), 20);
    expect(end).toMatchObject({ ok: false, thrown: { name: 'HandlerTimeoutError' } });
    expect((end as { thrown: Error }).thrown.message).toContain('20 ms');
  });

  it('keeps the cause when a library turned our abort into its own error', async () => {
    const end = await runAttempt(async (signal) => {
      await new Promise((resolve) => signal().addEventListener('abort', resolve));
      throw new DOMException('This operation was aborted', 'AbortError');
    }, 20);
    const { thrown } = end as { thrown: HandlerTimeoutError };
    expect(thrown).toBeInstanceOf(HandlerTimeoutError);
    expect(thrown.cause).toMatchObject({ name: 'AbortError' });
  });

  it('leaves an error alone that was thrown after the abort but is no abort', async () => {
    const end = await runAttempt(async (signal) => {
      await new Promise((resolve) => signal().addEventListener('abort', resolve));
      throw new TypeError('x is undefined');
    }, 20);
    expect(end).toMatchObject({ ok: false, thrown: { name: 'TypeError' } });
  });

  it('gives up a handler that ignores its signal', async () => {
    const end = await runAttempt(() => new Promise(() => {}), 20);
    expect(end).toMatchObject({ ok: false, thrown: { code: 'LAYOVER_HANDLER_TIMEOUT' } });
  });

  it('counts a handler that finishes within the grace as done', async () => {
    const end = await runAttempt(
      (signal) => new Promise((resolve) => signal().addEventListener('abort', () => resolve(1))),
      20,
    );
    expect(end).toEqual({ ok: true });
  });

  it('does not break on a thrown thing that can not be read', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const end = await runAttempt(async (signal) => {
      await new Promise((resolve) => signal().addEventListener('abort', resolve));
      throw proxy;
    }, 20);
    expect(end.ok).toBe(false);
  });
});

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
