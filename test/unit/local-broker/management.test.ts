import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  basicAuthOf,
  guessManagementUrl,
  hasManagement,
} from '../../../infra/local/broker/management.ts';

describe('guessManagementUrl', () => {
  it.each([
    ['amqp://guest:guest@127.0.0.1:5673', 'http://127.0.0.1:15673'],
    ['amqp://mq', 'http://mq:15672'],
    ['amqp://u:p@[::1]:5672/vhost', 'http://[::1]:15672'],
    ['amqps://u:p@b-1.mq.eu-central-1.on.aws:5671', 'https://b-1.mq.eu-central-1.on.aws'],
  ])('looks for the API of %s at %s, and never repeats the password', (amqp, management) => {
    expect(guessManagementUrl(amqp)).toBe(management);
  });
});

describe('basicAuthOf', () => {
  it.each([
    ['amqp://app:p%40ss@h', 'app:p@ss'],
    ['amqp://h', 'guest:guest'],
    ['amqp://app@h', 'app:'],
  ])('of %s is that of %s', (url, credentials) => {
    expect(basicAuthOf(url)).toBe(`Basic ${Buffer.from(credentials).toString('base64')}`);
  });
});

describe('hasManagement', () => {
  let close: (() => void) | undefined;
  afterEach(() => close?.());

  /** A server on loopback that answers every request like this. */
  const serve = async (status: number, body: string): Promise<string> => {
    const server = createServer((_, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = () => server.close();
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
    return `http://127.0.0.1:${address.port}`;
  };

  it('is true when a broker answers', async () => {
    const url = await serve(200, '{"rabbitmq_version":"4.3.6"}');

    expect(await hasManagement(url, 'amqp://guest:guest@127.0.0.1')).toBe(true);
  });

  it.each([
    [401, '{"error":"not_authorized"}'],
    [200, '{"hello":"I am something else"}'],
    [200, '<html>'],
    [200, 'null'],
  ])('is false on %i %s', async (status, body) => {
    const url = await serve(status, body);

    expect(await hasManagement(url, 'amqp://guest:guest@127.0.0.1')).toBe(false);
  });

  it('is false when nobody listens', async () => {
    const url = await serve(200, '');
    close?.();

    expect(await hasManagement(url, 'amqp://guest:guest@127.0.0.1')).toBe(false);
  });
});
