import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Park } from '../../../functions/policy/control-errors.ts';
import { Bench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const failing = (status: number) => () => {
  throw Object.assign(new Error(`answered ${status}`), { status });
};

describe('one batch on a real broker', () => {
  it('settles every record on its own, and returns', async () => {
    const deliveries = await bench.deliver(['ok', 'later', 'never', 'parked']);
    await bench.invoke(({ messageId }) => {
      if (messageId === 'later') failing(503)();
      if (messageId === 'never') failing(422)();
      if (messageId === 'parked') throw new Park('by hand');
    }, deliveries);

    expect(await bench.depths()).toEqual({ '.wait.1m': 1, '.parked': 2 });
  });

  it('numbers attempts in the message, and parks when they are used up', async () => {
    let [delivery] = await bench.deliver(['m-1']);
    const attempts: number[] = [];
    for (const queue of ['.wait.1m', '.wait.5m', '.parked']) {
      await bench.invoke(
        (_message, { attempt }) => {
          attempts.push(attempt);
          failing(503)();
        },
        delivery ? [delivery] : [],
      );
      [delivery] = await bench.takeAll(`${bench.flow.queue}${queue}`, 1);
    }

    expect(attempts).toEqual([1, 2, 3]);
    expect(delivery?.properties.headers).toMatchObject({
      'x-retry-count': 2,
      'x-failure-class': 'transient',
      'x-origin-queue': bench.flow.queue,
    });
  });

  it('waits longer for a downstream that says Retry-After', async () => {
    const deliveries = await bench.deliver(['m-1']);
    await bench.invoke(() => {
      throw Object.assign(new Error('too many'), { status: 429, headers: { 'retry-after': '90' } });
    }, deliveries);

    expect(await bench.depths()).toEqual({ '.wait.5m': 1 });
  });

  it('defers what it has no time for, without burning an attempt and without losing it', async () => {
    const ids = Array.from({ length: 12 }, (_, n) => `m-${n}`);
    const deliveries = await bench.deliver(ids);
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
    };
    // Less is left than a handler may take, so only the first may start.
    await bench.invoke(slow, deliveries, { timeoutMs: 2_400 });

    expect(await bench.depths()).toEqual({ '.wait.1m': 11 });
    const [copy] = await bench.takeAll(`${bench.flow.queue}.wait.1m`, 1);
    expect(copy?.properties.headers).not.toHaveProperty('x-retry-count');
    expect(copy?.properties.headers).not.toHaveProperty('x-failure-class');
  });

  it('parks a body that is no JSON without calling the handler', async () => {
    const channel = await bench.connection.createConfirmChannel();
    channel.sendToQueue(bench.flow.queue, Buffer.from('{'), { messageId: 'broken' });
    await channel.waitForConfirms();
    await channel.close();
    let runs = 0;
    await bench.invoke(
      () => {
        runs += 1;
      },
      await bench.takeAll(bench.flow.queue, 1),
    );

    expect(runs).toBe(0);
    const [parked] = await bench.takeAll(`${bench.flow.queue}.parked`, 1);
    expect(parked?.properties.headers).toMatchObject({ 'x-failure-class': 'contract' });
    expect(parked?.content.toString()).toBe('{');
  });

  it('throws, and leaves the rest settled, when one record’s queue is missing', async () => {
    const deliveries = await bench.deliver(['ok', 'later']);
    const channel = await bench.connection.createChannel();
    await channel.deleteQueue(`${bench.flow.queue}.wait.1m`);
    await channel.close();
    const invoked = bench.invoke(
      ({ messageId }) => {
        if (messageId === 'later') failing(503)();
      },
      deliveries,
      { timeoutMs: 3_000 },
    );

    await expect(invoked).rejects.toMatchObject({
      code: 'UNSETTLED',
      message: expect.stringContaining('1 of 2 records'),
    });
    expect(await bench.depths()).toEqual({});
  });
});
