import { describe, expect, it } from 'vitest';
import { Scratch } from '../../helpers/scratch.ts';
import { until } from '../../helpers/until.ts';

describe('what the broker does with a publish', () => {
  it('an unroutable one is confirmed and lost without mandatory', async () => {
    const scratch = await Scratch.open();
    const confirmed = Promise.withResolvers<unknown>();

    scratch.channel.publish('', scratch.name('none'), Buffer.from('x'), {}, confirmed.resolve);

    expect(await confirmed.promise).toBeNull();
  });

  it('with mandatory it is returned first, with all its headers, and then confirmed', async () => {
    const scratch = await Scratch.open();
    const events: unknown[] = [];
    scratch.channel.on('return', ({ fields, properties, content }) =>
      events.push([
        'return',
        (fields as { replyCode?: number }).replyCode,
        properties.headers?.['x-layover-publish'],
        properties.messageId,
        content.toString(),
      ]),
    );

    scratch.channel.publish(
      '',
      scratch.name('none'),
      Buffer.from('x'),
      { mandatory: true, messageId: 'm-1', headers: { 'x-layover-publish': 'token' } },
      (error) => events.push(['confirm', error]),
    );
    await until('the confirm', () => events.length === 2);

    expect(events).toEqual([
      ['return', 312, 'token', 'm-1', 'x'],
      ['confirm', null],
    ]);
  });

  it('a full queue that rejects nacks it', async () => {
    const scratch = await Scratch.open();
    const full = await scratch.queue('full', { 'x-max-length': 1, 'x-overflow': 'reject-publish' });
    const outcome = () =>
      new Promise<string>((resolve) =>
        scratch.channel.publish('', full, Buffer.from('x'), {}, (error) =>
          resolve(error === null ? 'ack' : 'nack'),
        ),
      );

    // The limit is soft: a few more may get in before the broker says no.
    await until('a nack', async () => (await outcome()) === 'nack');

    expect(await outcome()).toBe('nack');
  });

  it('CC on a copy would send it to other queues once more, and hide that its own was missing', async () => {
    const scratch = await Scratch.open();
    const other = await scratch.queue('other');
    let returns = 0;
    scratch.channel.on('return', () => {
      returns += 1;
    });

    await scratch.put(scratch.name('none'), 'x', { mandatory: true, headers: { CC: [other] } });

    expect(await scratch.drain(other, 1)).toEqual(['x']);
    expect(returns).toBe(0);
  });

  it('userId of another user on a copy would close the channel', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const side = await scratch.sideChannel();
    const closed = new Promise<{ code?: number }>((resolve) => side.on('error', resolve));

    side.sendToQueue(queue, Buffer.from('x'), { userId: 'somebody-else' });

    expect((await closed).code).toBe(406);
  });

  it('counters in a client’s headers are shown to the reader of a first delivery', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    // 3.x writes its own x-delivery-count over a client's, 4.x does not; this one nobody corrects.
    await scratch.put(queue, 'forged', { headers: { 'x-acquired-count': 7 } });
    await scratch.put(queue, 'plain');

    const forged = await scratch.take(queue);
    const plain = await scratch.take(queue);
    scratch.channel.ackAll();

    expect(forged.fields.redelivered).toBe(false);
    expect(forged.properties.headers?.['x-acquired-count']).toBe(7);
    expect(plain.properties.headers?.['x-delivery-count'] ?? 0).toBe(0);
    expect(plain.properties.headers?.['x-acquired-count'] ?? 0).toBe(0);
  });

  it('reject with requeue and the loss of a channel count as deliveries', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    await scratch.put(queue, 'x');

    scratch.channel.reject(await scratch.take(queue), true);
    const side = await scratch.sideChannel();
    const second = await until('the second delivery', () => side.get(queue));
    await side.close();
    const third = await scratch.take(queue);
    scratch.channel.ack(third);

    expect(second.properties.headers?.['x-delivery-count']).toBe(1);
    expect(third.properties.headers?.['x-delivery-count']).toBe(2);
  });
});
