import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeEvent } from '../../../functions/message/decode-event.ts';
import { ScratchVhost } from '../infra/scratch-vhost.ts';
import { jsonLines, ORDER, ROOT, runCli, tempFile } from './run-cli.ts';

const EVENTS = join(ROOT, 'test', 'fixtures', 'events');
const FIXTURES = (await readdir(EVENTS)).filter((name) => name.endsWith('.json'));
const vhost = new ScratchVhost(`cli-invoke-${randomBytes(4).toString('hex')}`);

beforeAll(() => vhost.create());
afterAll(() => vhost.remove());

interface Result {
  readonly messageId: string;
  readonly verdict: string;
  readonly class: string | null;
  readonly queue: string | null;
}

const invoke = (...argv: readonly string[]) =>
  runCli(['invoke', 'orders', ...argv], { amqpUrl: vhost.url });

/** An event file of orders with these ids and bodies. */
function orders(...records: readonly { id: string | null; body?: string }[]): Promise<string> {
  const list = records.map(({ id, body }) => ({
    basicProperties: { messageId: id, headers: null },
    redelivered: false,
    data: Buffer.from(body ?? ORDER).toString('base64'),
  }));
  const event = { eventSource: 'aws:rmq', rmqMessagesByQueue: { 'orders::/': list } };
  return tempFile('event.json', JSON.stringify(event));
}

/** A port that was free a moment ago: connections to it are refused. */
async function nobodyListens(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

describe('layover invoke', () => {
  it.each(FIXTURES)('settles every record of %s, a line each in order', async (name) => {
    const file = join(EVENTS, name);
    const { records } = decodeEvent(JSON.parse(await readFile(file, 'utf8')));
    const ran = await invoke('--event', file, '--json');
    expect(ran.code, ran.stderr).toBe(0);
    const results = jsonLines(ran) as Result[];
    expect(results).toHaveLength(records.length);
    for (const [index, { message }] of records.entries()) {
      const result = results[index] as Result;
      expect(Object.keys(result)).toEqual(['messageId', 'verdict', 'class', 'queue']);
      expect(result.messageId).toEqual(message.properties.messageId ?? expect.any(String));
      const suspect = message.redelivered || (message.deliveryCount ?? 0) > 0;
      expect(result).toMatchObject(
        suspect
          ? { verdict: 'isolated', class: null, queue: 'orders.isolated' }
          : { verdict: 'park', class: expect.any(String), queue: 'orders.parked' },
      );
    }
    expect(ran.stderr).toContain("the flow 'orders' reads 'orders'");
  });

  it('needs no queues to be there, and leaves each copy in the queue it names', async () => {
    const fresh = new ScratchVhost(`cli-fresh-${randomBytes(4).toString('hex')}`);
    await fresh.create();
    try {
      const event = await orders({ id: 'bad-1', body: '{}' });
      const ran = await runCli(['invoke', 'orders', '--event', event, '--json'], {
        amqpUrl: fresh.url,
      });
      expect(ran.code, ran.stderr).toBe(0);
      expect(jsonLines(ran)).toEqual([
        { messageId: 'bad-1', verdict: 'park', class: 'invalid', queue: 'orders.parked' },
      ]);
      const connection = await fresh.connect();
      const channel = await connection.createChannel();
      const parked = await channel.get('orders.parked', { noAck: true });
      await connection.close();
      expect(parked).toMatchObject({ properties: { messageId: 'bad-1' } });
    } finally {
      await fresh.remove();
    }
  });

  it('behaves like production: a message that is in one event twice is done once', async () => {
    const event = await orders({ id: 'twice' }, { id: 'once' }, { id: 'twice' });
    const ran = await invoke('--event', event, '--json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(jsonLines(ran)).toEqual([
      { messageId: 'twice', verdict: 'done', class: null, queue: null },
      { messageId: 'once', verdict: 'done', class: null, queue: null },
      { messageId: 'twice', verdict: 'duplicate', class: null, queue: null },
    ]);
  });

  it('calls the downstream the environment names', async () => {
    const event = await orders({ id: 'm-1' });
    const ran = await runCli(['invoke', 'orders', '--event', event, '--json'], {
      amqpUrl: vhost.url,
      env: { PAYMENT_URL: await nobodyListens() },
    });
    expect(ran.code, ran.stderr).toBe(0);
    expect(jsonLines(ran)).toEqual([
      { messageId: 'm-1', verdict: 'retry', class: 'transient', queue: 'orders.wait.10s' },
    ]);
  });

  it('uses the tiers of the time scale it is given', async () => {
    const event = await orders({ id: 'm-1' });
    const ran = await runCli(['invoke', 'orders', '--event', event, '--json'], {
      amqpUrl: vhost.url,
      env: { PAYMENT_URL: await nobodyListens(), LAYOVER_TIME_SCALE: '10' },
    });
    expect(ran.code, ran.stderr).toBe(0);
    expect(jsonLines(ran)).toMatchObject([{ queue: 'orders.wait.1s' }]);
  });

  it('makes an event of a body', async () => {
    const ran = await invoke('--body', await tempFile('body.json', ORDER), '--json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(jsonLines(ran)).toEqual([
      { messageId: expect.any(String), verdict: 'done', class: null, queue: null },
    ]);
  });

  it('tells a person why', async () => {
    const { code, stdout, stderr } = await invoke(
      '--event',
      join(EVENTS, 'derived-delivery-count-nack-43.json'),
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^message +verdict +class +rule +copy in +why$/m);
    expect(stdout).toMatch(/park +contract +layover\.payload +orders\.parked +PayloadError: /);
    expect(stdout).toContain('x-acquired-count is 1, so it runs alone');
  });

  it('has nothing to do for an event without messages, and says so', async () => {
    const { code, stdout, stderr } = await invoke('--event', await orders());
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('the event holds no messages');
  });

  it('refuses a queue on the broker that differs, and says how', async () => {
    const other = new ScratchVhost(`cli-other-${randomBytes(4).toString('hex')}`);
    await other.create();
    try {
      const connection = await other.connect();
      const channel = await connection.createChannel();
      await channel.assertQueue('orders.parked', { durable: true });
      await connection.close();
      const event = await orders({ id: 'm-1' });
      const ran = await runCli(['invoke', 'orders', '--event', event], { amqpUrl: other.url });
      expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 1, stdout: '' });
      expect(ran.stderr).toContain('Queue "orders.parked" exists with x-');
      expect(ran.stderr).toContain('delete it yourself');
    } finally {
      await other.remove();
    }
  });
});
