import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fromUrl } from '../../../infra/local/broker/from-url.ts';
import { freePorts } from '../../../infra/local/broker/ports.ts';

const tryUrl = (url: string | undefined) =>
  fromUrl({ print: () => {}, env: url === undefined ? {} : { AMQP_URL: url } }).catch(
    (error: unknown) => error,
  );

describe('the choice AMQP_URL', () => {
  it.each([undefined, '', '  '])('says that it is not set when it is %j', async (url) => {
    expect(await tryUrl(url)).toMatchObject({
      code: 'BROKER_CHOICE_FAILED',
      message: 'AMQP_URL is not set',
    });
  });

  it.each(['localhost:5672', 'http://localhost', 'guest:geheim@host'])(
    'says what a URL looks like when it is %s, without repeating it',
    async (url) => {
      const error = await tryUrl(url);

      expect(error).toMatchObject({ message: expect.stringContaining('amqp://user:password@') });
      expect(String(error)).not.toContain('geheim');
    },
  );

  it('names the place but not the password when nobody listens there', async () => {
    const [port] = await freePorts(1);

    const error = await tryUrl(`amqp://app:geheim@127.0.0.1:${port}`);

    expect(String(error)).toContain(`amqp://app:***@127.0.0.1:${port}: connect ECONNREFUSED`);
    expect(String(error)).not.toContain('geheim');
  });

  it('gives up on something that takes the connection and hangs up', async () => {
    const server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;

    const error = await tryUrl(`amqp://app:geheim@127.0.0.1:${port}`);
    server.close();

    expect(error).toMatchObject({ code: 'BROKER_CHOICE_FAILED' });
  });
});
