import type { ConsumeMessage } from 'amqplib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench.close());

const isolated = () => `${bench.flow.queue}.isolated`;
const done = () => {};

/** As the broker delivers it after it came back once: redelivered, with a count where there is one. */
async function deliveredAgain(id: string): Promise<ConsumeMessage> {
  const [delivery] = await bench.deliver([id]);
  if (delivery === undefined) throw new Error('nothing was delivered');
  delivery.fields.redelivered = true;
  delivery.properties.headers = { ...delivery.properties.headers, 'x-delivery-count': 1 };
  return delivery;
}

/** The same message, taken from the isolated queue. */
async function inIsolation(id: string): Promise<ConsumeMessage[]> {
  await bench.invoke(done, [await deliveredAgain(id)]);
  return bench.takeAll(isolated(), 1);
}

describe('a message that came back', () => {
  it('goes into isolation without running, beside others that run', async () => {
    const ran: unknown[] = [];
    const suspect = await deliveredAgain('suspect');
    await bench.invoke(
      ({ messageId }) => ran.push(messageId),
      [suspect, ...(await bench.deliver(['fresh']))],
    );
    expect(ran).toEqual(['fresh']);
    expect(await bench.depths()).toEqual({ '.isolated': 1 });
  });

  it('runs there, and is gone', async () => {
    let runs = 0;
    await bench.invoke(
      () => {
        runs += 1;
      },
      await inIsolation('m-1'),
      { queue: isolated() },
    );
    expect(runs).toBe(1);
    expect(await bench.depths()).toEqual({});
  });

  it('waits in isolation, not beside the others, when it fails there', async () => {
    await bench.invoke(
      () => {
        throw Object.assign(new Error('down'), { status: 503 });
      },
      await inIsolation('m-1'),
      { queue: isolated() },
    );
    expect(await bench.depths()).toEqual({ '.isolated.wait': 1 });
    const [copy] = await bench.takeAll(`${isolated()}.wait`, 1);
    expect(copy?.properties.headers).toMatchObject({
      'x-failure-suspect': true,
      'x-retry-count': 1,
    });
    // The tier it would have waited in is carried as a time instead.
    expect(copy?.properties.headers?.['x-retry-not-before']).toEqual(expect.any(String));
  });

  it('is acknowledged where it is when it was done already', async () => {
    await bench.invoke(done, await bench.deliver(['m-1']));
    await bench.invoke(done, [await deliveredAgain('m-1')]);
    expect(await bench.depths()).toEqual({});
  });
});
