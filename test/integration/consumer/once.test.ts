import { afterEach, describe, expect, it } from 'vitest';
import { Bench, type BenchOptions } from './bench.ts';

let bench: Bench;
afterEach(() => bench.close());

/** Runs the same deliveries in one invocation each; gives the ids whose handler ran, in order. */
async function runsOf(options: BenchOptions, ids: readonly (string | undefined)[]) {
  bench = await Bench.open(options);
  const runs: (string | undefined)[] = [];
  for (const delivery of await bench.deliver(ids)) {
    await bench.invoke(
      ({ messageId }) => {
        runs.push(messageId);
      },
      [delivery],
    );
  }
  return runs;
}

describe('a message that was done', () => {
  it('is not done again when it is sent twice', async () => {
    expect(await runsOf({}, ['m-1', 'm-1', 'm-2'])).toEqual(['m-1', 'm-2']);
  });

  it('runs once when it is in one batch twice', async () => {
    bench = await Bench.open();
    let runs = 0;
    await bench.invoke(
      () => {
        runs += 1;
      },
      await bench.deliver(['m-1', 'm-1']),
    );
    expect(runs).toBe(1);
    expect(await bench.depths()).toEqual({});
  });

  it('is done again where the flow has opted out', async () => {
    expect(await runsOf({ flow: { idempotency: false } }, ['m-1', 'm-1'])).toEqual(['m-1', 'm-1']);
  });

  it('is done again where there is no table', async () => {
    expect(await runsOf({ table: false }, ['m-1', 'm-1'])).toEqual(['m-1', 'm-1']);
  });

  it('is recognised by the flow’s key instead of the id', async () => {
    const idempotency = { key: () => 'the same work' };
    expect(await runsOf({ flow: { idempotency } }, ['m-1', 'm-2'])).toEqual(['m-1']);
  });

  it('is unprotected before its first copy when it has neither', async () => {
    expect(await runsOf({}, [undefined, undefined])).toHaveLength(2);
  });

  it('is given an id by its first copy, and the same idempotency key from then on', async () => {
    bench = await Bench.open();
    const keys: string[] = [];
    const fail = (_message: unknown, { idempotencyKey }: { idempotencyKey: string }) => {
      keys.push(idempotencyKey);
      throw Object.assign(new Error('down'), { status: 503 });
    };
    await bench.invoke(fail, await bench.deliver([undefined]));
    await bench.invoke(fail, await bench.takeAll(`${bench.flow.queue}.wait.1m`, 1));

    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });
});

describe('a message that failed', () => {
  it('leaves no claim behind, so that its retry runs', async () => {
    bench = await Bench.open();
    const attempts: number[] = [];
    const [first] = await bench.deliver(['m-1']);
    await bench.invoke(
      () => {
        throw Object.assign(new Error('down'), { status: 503 });
      },
      first ? [first] : [],
    );
    await bench.invoke(
      (_message, { attempt }) => {
        attempts.push(attempt);
      },
      await bench.takeAll(`${bench.flow.queue}.wait.1m`, 1),
    );
    expect(attempts).toEqual([2]);
    expect(await bench.depths()).toEqual({});
  });
});
