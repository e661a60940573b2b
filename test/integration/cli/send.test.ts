import { randomBytes } from 'node:crypto';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScratchVhost } from '../infra/scratch-vhost.ts';
import { jsonLines, runCli, tempFile } from './run-cli.ts';

const vhost = new ScratchVhost(`cli-send-${randomBytes(4).toString('hex')}`);
let connection: ChannelModel;
let channel: ConfirmChannel;

beforeAll(async () => {
  await vhost.create();
  connection = await vhost.connect();
  channel = await connection.createConfirmChannel();
});
afterAll(async () => {
  await connection.close();
  await vhost.remove();
});
beforeEach(() => channel.deleteQueue('orders'));

const send = (...argv: readonly string[]) =>
  runCli(['send', 'orders', ...argv], { amqpUrl: vhost.url, stdin: '{"from":"stdin"}' });

describe('layover send', () => {
  it('puts the file into the work queue, persistent, with an id', async () => {
    await channel.assertQueue('orders');
    const body = await tempFile('body.json', '{ "orderId": "ö-1" }\n');
    const ran = await send(body, '--json');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const message = await channel.get('orders', { noAck: true });
    if (message === false) throw new Error('no message came');
    expect(message.content.toString()).toBe('{ "orderId": "ö-1" }\n');
    expect(message.properties).toMatchObject({ contentType: 'application/json', deliveryMode: 2 });
    expect(jsonLines(ran)).toEqual([
      { messageId: message.properties.messageId, queue: 'orders', bytes: 22 },
    ]);
  });

  it('takes the body from stdin, and properties and headers from its options', async () => {
    await channel.assertQueue('orders');
    const options = ['--id', 'm-1', '--type', 'OrderPlaced', '--content-type', 'text/plain'];
    const ran = await send('-', ...options, '--header', 'tenant=blue', '--header', 'note=a=b');
    expect(ran.stdout).toBe("Sent m-1 to 'orders' (16 bytes).\n");
    const message = await channel.get('orders', { noAck: true });
    expect(message).toMatchObject({
      content: Buffer.from('{"from":"stdin"}'),
      properties: {
        messageId: 'm-1',
        type: 'OrderPlaced',
        contentType: 'text/plain',
        headers: { tenant: 'blue', note: 'a=b' },
      },
    });
  });

  it('fails when the queue is not there, although the broker confirms', async () => {
    const { code, stdout, stderr } = await send('-', '--json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      "There is no queue 'orders' on this broker, so nothing was sent. It is made by the deployment, or here by: npm start -- --keep\n",
    );
  });

  it('fails when the queue is full', async () => {
    const full = { 'x-max-length': 1, 'x-overflow': 'reject-publish' };
    await channel.assertQueue('orders', { arguments: full });
    expect((await send('-')).code).toBe(0);
    const { code, stderr } = await send('-');
    expect(code).toBe(1);
    expect(stderr).toContain("The broker did not take it into 'orders'");
    expect(stderr).toContain('the queue may be full');
  });

  it.each([
    ['a header without a value', ['--header', 'tenant'], 'write --header name=value'],
    ['a header without a name', ['--header', '=blue'], 'write --header name=value'],
    ['an id AMQP has no room for', ['--id', 'é'.repeat(128)], '--id has 256 bytes'],
  ])('refuses %s', async (_what, options, words) => {
    const { code, stderr } = await send('-', ...options);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it('refuses a file that is not there', async () => {
    const { code, stderr } = await send('nothing.json');
    expect(code).toBe(2);
    expect(stderr).toContain("Can't read 'nothing.json'");
  });

  it('names a broker that does not answer, without its password, and looks for no other', async () => {
    const amqpUrl = 'amqp://guest:hunter2@127.0.0.1:1';
    const { code, stdout, stderr } = await runCli(['send', 'orders', '-'], { amqpUrl, stdin: 'x' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('127.0.0.1:1');
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('docker:');
  });
});
