/** Errors as Node really makes them today, against loopback: shapes change between versions. */

import { lookup } from 'node:dns/promises';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { classify } from '../../../functions/policy/classify.ts';

const options = { rules: [], sensitive: [], now: new Date('2026-01-01T00:00:00Z') };
const open: Server[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(server: Server): Promise<number> {
  open.push(server);
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** A port nobody listens on: one that was just given back. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => open.pop()?.close(resolve));
  return port;
}

async function failureOf(run: () => Promise<unknown>) {
  try {
    await run();
  } catch (error) {
    return classify(error, options);
  }
  throw new Error('expected a failure');
}

describe('fetch', () => {
  it('case 60: a closed port', async () => {
    const port = await closedPort();

    const failure = await failureOf(() => fetch(`http://127.0.0.1:${port}/`));

    expect(failure).toMatchObject({
      class: 'transient',
      rule: 'network.refused',
      code: 'ECONNREFUSED',
    });
    expect(failure.message).toContain('ECONNREFUSED');
  });

  it('case 60: a closed port of a name with two addresses', async () => {
    const port = await closedPort();

    const failure = await failureOf(() => fetch(`http://localhost:${port}/`));

    expect(failure).toMatchObject({ class: 'transient', rule: 'network.refused' });
    expect(failure.message).toContain('ECONNREFUSED');
  });

  it('a server that hangs up before it answers', async () => {
    const port = await listen(
      createServer((socket) => socket.once('data', () => socket.destroy())),
    );

    expect((await failureOf(() => fetch(`http://127.0.0.1:${port}/`))).class).toBe('transient');
  });

  it('a body cut off half-way', async () => {
    const port = await listen(
      createServer((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
      ),
    );

    const failure = await failureOf(async () => (await fetch(`http://127.0.0.1:${port}/`)).text());

    expect(failure).toMatchObject({ class: 'transient', name: 'TypeError' });
  });

  it('an answer that is no HTTP', async () => {
    const port = await listen(
      createServer((socket) => socket.once('data', () => socket.end('SSH-2.0-x\r\n'))),
    );

    expect((await failureOf(() => fetch(`http://127.0.0.1:${port}/`))).class).toBe('transient');
  });

  it('a deadline that passes', async () => {
    const port = await listen(createServer());

    const failure = await failureOf(() =>
      fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(30) }),
    );

    expect(failure).toMatchObject({
      class: 'transient',
      rule: 'abort.timeout',
      name: 'TimeoutError',
    });
  });

  it('an abort', async () => {
    const port = await listen(createServer());
    const controller = new AbortController();

    const failure = failureOf(() =>
      fetch(`http://127.0.0.1:${port}/`, { signal: controller.signal }),
    );
    controller.abort();

    expect(await failure).toMatchObject({ class: 'transient', rule: 'abort.aborted' });
  });

  it('HTML where JSON was expected', async () => {
    const server = createHttpServer((_request, response) =>
      response.end('<html>maintenance</html>'),
    );
    const port = await listen(server);

    const failure = await failureOf(async () => (await fetch(`http://127.0.0.1:${port}/`)).json());

    expect(failure).toMatchObject({ class: 'transient', rule: 'json.html-answer' });
  });

  it.each(['nope', 'foo:bar', 'http://127.0.0.1:6666/'])(
    'case 60: %s can never be fetched',
    async (url) => {
      expect(await failureOf(() => fetch(url))).toMatchObject({
        class: 'bug',
        rule: 'fetch.unusable-request',
      });
    },
  );
});

describe('Node', () => {
  it('a socket to a closed port', async () => {
    const port = await closedPort();

    const failure = await failureOf(
      () =>
        new Promise((_resolve, reject) => {
          connect(port, '127.0.0.1').once('error', reject);
        }),
    );

    expect(failure).toMatchObject({ class: 'transient', rule: 'network.refused' });
  });

  it('a host that is not there', async () => {
    const failure = await failureOf(() => lookup('nobody.invalid'));

    expect(['network.host-not-found', 'network.dns']).toContain(failure.rule);
    expect(failure.class).toBe('transient');
  });
});

describe('the AWS SDK', () => {
  const $metadata = { httpStatusCode: 400 };

  it('has classes that are recognised', () => {
    const classes = [
      new ConditionalCheckFailedException({ message: 'x', $metadata }),
      new ProvisionedThroughputExceededException({ message: 'x', $metadata }),
      new TransactionCanceledException({
        message: 'x',
        $metadata,
        CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
      }),
    ].map((error) => classify(error, options).class);

    expect(classes).toEqual(['stale', 'backpressure', 'stale']);
  });

  it('tells a closed port as a network error, and a throttled answer as back-pressure', async () => {
    const credentials = { accessKeyId: 'x', secretAccessKey: 'y' };
    const at = (port: number) =>
      new DynamoDBClient({
        region: 'eu-west-1',
        credentials,
        maxAttempts: 1,
        endpoint: `http://127.0.0.1:${port}`,
      });
    const get = new GetItemCommand({ TableName: 't', Key: { id: { S: '1' } } });
    const throttling = await listen(
      createHttpServer((_request, response) => {
        response.writeHead(400, {
          'content-type': 'application/x-amz-json-1.0',
          'retry-after': '3',
        });
        response.end(
          '{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Rate exceeded"}',
        );
      }),
    );

    const refused = await failureOf(async () => at(await closedPort()).send(get));
    const throttled = await failureOf(() => at(throttling).send(get));

    expect(refused).toMatchObject({ class: 'transient', rule: 'network.refused' });
    expect(throttled).toMatchObject({
      class: 'backpressure',
      rule: 'aws.throttled',
      retryAfterMs: 3_000,
    });
  });
});
