import { describe, expect, it, onTestFinished } from 'vitest';
import { createSession } from '../../functions/broker/session.ts';
import type { BrokerSession } from '../../functions/broker/types.ts';
import type { OutgoingCopy } from '../../functions/message/types.ts';
import { basicAuthOf } from '../../infra/local/broker/management.ts';
import { BrokerAdmin } from '../chaos/harness/broker-admin.ts';
import { brokerUrl, managementUrl } from '../helpers/broker.ts';
import { Scratch } from '../helpers/scratch.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';
import { until } from '../helpers/until.ts';

const within = (delayMs: number) => Date.now() + delayMs;

function aSession(url = brokerUrl()): BrokerSession {
  const session = createSession({ kind: 'url', url }, { connectionName: 'layover/test' });
  onTestFinished(() => session.close());
  return session;
}

async function aProxy(): Promise<TcpProxy> {
  const { hostname, port } = new URL(brokerUrl());
  const proxy = await TcpProxy.start({ host: hostname, port: Number(port || 5_672) });
  onTestFinished(() => proxy.close());
  return proxy;
}

function aCopy(queue: string, parts: Partial<OutgoingCopy> = {}): OutgoingCopy {
  return {
    queue,
    body: Buffer.from('body'),
    properties: { messageId: 'same-for-all' },
    headers: Object.create(null),
    ...parts,
  };
}

/** How many ended how: `{ ok: 3, UNROUTABLE: 1 }`. */
async function tally(promises: readonly Promise<void>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(promises)) {
    const key =
      result.status === 'fulfilled' ? 'ok' : String((result.reason as { code?: string }).code);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

describe('publishing to a real broker', () => {
  it('arrives byte for byte, with its properties and header types, persistent', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const body = Buffer.from([0, 255, 10, 13, 0xc3, 0xa9]);
    const headers = Object.assign(Object.create(null), {
      text: 'é',
      int: { '!': 'int', value: 7 },
      long: { '!': 'long', value: 5_000_000_000 },
      nothing: null,
      list: ['a', { b: 'c' }],
      at: { '!': 'timestamp', value: 1_700_000_000 },
    });
    const properties = {
      contentType: 'application/json',
      contentEncoding: 'gzip',
      priority: 4,
      correlationId: 'c-1',
      replyTo: 'client.7',
      messageId: 'm-1',
      timestampSeconds: 1_700_000_000,
      type: 'OrderPlaced',
      appId: 'shop',
    };

    await aSession().publish({ queue, body, properties, headers }, within(5_000));
    const message = await scratch.take(queue);
    scratch.channel.ack(message);

    const { timestampSeconds, ...sameName } = properties;
    expect(message.content).toEqual(body);
    expect(message.properties).toMatchObject({
      ...sameName,
      timestamp: timestampSeconds,
      deliveryMode: 2,
    });
    expect(message.properties.headers).toMatchObject({
      text: 'é',
      int: 7,
      long: 5_000_000_000,
      nothing: null,
      list: ['a', { b: 'c' }],
      at: { '!': 'timestamp', value: 1_700_000_000 },
    });
  });

  it.each([0, 1, 131_064, 131_072, 400_000])('a body of %i bytes arrives whole', async (bytes) => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const body = Buffer.alloc(bytes, 'layover');

    await aSession().publish(aCopy(queue, { body }), within(10_000));
    const message = await scratch.take(queue);
    scratch.channel.ack(message);

    expect(message.content.equals(body)).toBe(true);
  });

  it('headers of 60 KB arrive', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const headers = Object.assign(Object.create(null), { large: 'x'.repeat(60_000) });

    await aSession().publish(aCopy(queue, { headers }), within(5_000));
    const message = await scratch.take(queue);
    scratch.channel.ack(message);

    expect(message.properties.headers?.large).toHaveLength(60_000);
  });

  it('case 44: of 3,000 pipelined with one messageId exactly those without a queue are unroutable', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const missing = scratch.name('missing');
    const session = aSession();
    const routed: Promise<void>[] = [];
    const lost: Promise<void>[] = [];

    for (let index = 0; index < 3_000; index += 1) {
      const [list, target] = index % 3 === 0 ? [lost, missing] : [routed, queue];
      list.push(session.publish(aCopy(target), within(20_000)));
    }

    const counts = await Promise.all([tally(routed), tally(lost)]);

    expect(counts).toEqual([{ ok: 2_000 }, { UNROUTABLE: 1_000 }]);
    expect(await scratch.ready(queue)).toBe(2_000);
  });

  it('case 44: a wait queue that was deleted is noticed', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('orders.wait.10s');
    const session = aSession();
    await session.publish(aCopy(queue), within(5_000));
    await scratch.channel.deleteQueue(queue);

    expect(await tally([session.publish(aCopy(queue), within(5_000))])).toEqual({ UNROUTABLE: 1 });
  });

  it('case 14: a full queue’s refusal is NACKED, and the other queue is not affected', async () => {
    const scratch = await Scratch.open();
    const full = await scratch.queue('full', { 'x-max-length': 1, 'x-overflow': 'reject-publish' });
    const roomy = await scratch.queue('roomy');
    const session = aSession();

    const refusal = await until('a refusal', () =>
      session.publish(aCopy(full), within(5_000)).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );

    expect(refusal).toMatchObject({ code: 'NACKED', mayBeWritten: false });
    expect(await tally([session.publish(aCopy(roomy), within(5_000))])).toEqual({ ok: 1 });
  });

  it('goes on by itself once a full queue has no limit any more', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('full', { 'x-overflow': 'reject-publish' });
    const admin = BrokerAdmin.of(brokerUrl(), managementUrl());
    const session = aSession();
    const put = () => tally([session.publish(aCopy(queue), within(5_000))]);
    onTestFinished(() => admin?.unlimit(queue, `^${queue}$`));
    await admin?.limitLength(queue, `^${queue}$`, 1);
    await until('a refusal', async () => (await put()).NACKED === 1);

    // The policy alone goes, the harness' way of lifting the limit first would wake the old channel too.
    const authorization = basicAuthOf(brokerUrl());
    const policy = `${managementUrl()}/api/policies/%2F/${queue}`;
    await fetch(policy, { method: 'DELETE', headers: { authorization } });

    await until('a publish to be taken', async () => (await put()).ok === 1);
    expect(await put()).toEqual({ ok: 1 });
  });

  it('case 24: 5,000 large ones through the backpressure arrive once each, in order', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const session = aSession();
    const body = Buffer.alloc(3_000);

    const all = Array.from({ length: 5_000 }, (_, index) =>
      session.publish(
        aCopy(queue, { body, properties: { messageId: String(index) } }),
        within(30_000),
      ),
    );

    expect(await tally(all)).toEqual({ ok: 5_000 });
    const ids: unknown[] = [];
    await scratch.channel.prefetch(2_000);
    await scratch.channel.consume(queue, (message) => {
      ids.push(message?.properties.messageId);
      if (message !== null) scratch.channel.ack(message);
    });
    await until('all of them', () => ids.length >= 5_000, { timeoutMs: 30_000 });
    expect(ids).toEqual(Array.from({ length: 5_000 }, (_, index) => String(index)));
  });
});

describe('a connection that fails', () => {
  it('cut in the middle of a batch: what was confirmed is there, what was not says so', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const proxy = await aProxy();
    const session = aSession(proxy.through(brokerUrl()));
    await session.publish(aCopy(queue), within(5_000));
    proxy.delay(20);

    const batch = Array.from({ length: 500 }, () => session.publish(aCopy(queue), within(10_000)));
    await batch[0]?.catch(() => undefined);
    proxy.cut();
    const counts = await tally(batch);
    proxy.delay(0);
    const next = await tally([session.publish(aCopy(queue), within(5_000))]);

    const { ok = 0, CONNECTION_LOST: lost = 0 } = counts;
    expect(ok + lost).toBe(500);
    expect(next).toEqual({ ok: 1 });
    expect(proxy.accepted).toBe(2);
    // Confirmed means written; more may have been written than confirmed.
    expect(await scratch.ready(queue)).toBeGreaterThanOrEqual(ok + 2);
  });

  it('case 38: black-holed while frozen: one publish per message, on a new connection', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const proxy = await aProxy();
    let skippedMs = 0;
    const session = createSession(
      { kind: 'url', url: proxy.through(brokerUrl()) },
      { connectionName: 'layover/test', now: () => Date.now() + skippedMs },
    );
    onTestFinished(() => session.close());
    await session.publish(aCopy(queue), within(5_000));

    proxy.blackHole(true);
    skippedMs = 15 * 60_000;
    await session.wake(within(10_000) + skippedMs);
    proxy.blackHole(false);
    await session.publish(aCopy(queue), within(10_000) + skippedMs);

    expect(proxy.accepted).toBe(2);
    expect(await scratch.ready(queue)).toBe(2);
  });

  it('refused for a while: every publish ends with its own error, and works again afterwards', async () => {
    const scratch = await Scratch.open();
    const queue = await scratch.queue('q');
    const proxy = await aProxy();
    const session = aSession(proxy.through(brokerUrl()));
    proxy.refuse(true);

    const during = await tally([session.publish(aCopy(queue), within(2_000))]);
    proxy.refuse(false);
    const after = await tally([session.publish(aCopy(queue), within(5_000))]);

    expect(during).toEqual({ CONNECT_FAILED: 1 });
    expect(after).toEqual({ ok: 1 });
  });

  it('a wrong password is ACCESS_REFUSED, a missing virtual host says so', async () => {
    const wrong = new URL(brokerUrl());
    wrong.password = 'wrong';
    const missing = new URL(brokerUrl());
    missing.pathname = '/no-such-vhost';

    const refused = aSession(wrong.href).publish(aCopy('q'), within(5_000));
    await expect(refused).rejects.toMatchObject({ code: 'ACCESS_REFUSED' });
    const nowhere = aSession(missing.href).publish(aCopy('q'), within(5_000));
    await expect(nowhere).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      message: expect.stringContaining('virtual host "no-such-vhost"'),
    });
  });
});
