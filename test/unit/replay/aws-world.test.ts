import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAwsWorld } from '../../../functions/replay/outside/aws-world.ts';
import type { OutsideWorld } from '../../../functions/replay/outside/world.ts';
import { parseReplaySettings } from '../../../functions/replay/settings.ts';
import { aMessage } from '../../helpers/messages.ts';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly target: string;
  readonly body: Buffer;
}
type Answer = readonly [status: number, body: string, type?: string];

let requests: Request[];
let answer: (request: Request) => Answer;
let world: OutsideWorld;
let stop: () => Promise<void>;

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** The services in one, over HTTP, asked by the real SDK. */
beforeEach(async () => {
  requests = [];
  const server = createServer(async (message, response) => {
    const request = {
      method: message.method ?? '',
      path: message.url ?? '',
      target: String(message.headers['x-amz-target'] ?? ''),
      body: await bodyOf(message),
    };
    requests.push(request);
    const [status, body, type = 'application/x-amz-json-1.1'] = answer(request);
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  world = createAwsWorld(
    parseReplaySettings({
      AMQP_URL: 'amqp://localhost',
      LAYOVER_REPLAY_TABLE: 'r',
      LAYOVER_AUDIT_TABLE: 'a',
      LAYOVER_EXPORT_BUCKET: 'exports',
      LAYOVER_MAPPINGS: '{"orders":["work","isolated"]}',
    }),
  );
  stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stop();
});

const parameters = (values: Readonly<Record<string, string>>): Answer => [
  200,
  JSON.stringify({
    Parameters: Object.entries(values).map(([name, Value]) => ({
      Name: `/layover/local/replay/${name}`,
      Value,
    })),
  }),
];

describe('the kill switch in SSM', () => {
  it.each([
    [{ all: 'on' }, 'on'],
    [{ all: 'on', orders: 'off' }, 'off'],
    [{ all: 'off', orders: 'on' }, 'off'],
    [{ all: 'observe', orders: 'manual' }, 'manual'],
  ])('%j is %s', async (values, expected) => {
    answer = () => parameters(values);

    expect(await world.killSwitch('orders')).toBe(expected);
  });

  it.each([
    ['is missing', parameters({ orders: 'on' })],
    ['says something else', parameters({ all: 'perhaps' })],
    ['may not be read', [400, '{"__type":"AccessDeniedException"}'] as const],
  ])('that %s is no switch that is on', async (_name, given) => {
    answer = () => given;

    await expect(world.killSwitch('orders')).rejects.toThrow();
  });

  it('is thrown for one flow or for all', async () => {
    answer = () => [200, '{}'];

    await world.setSwitch('orders', 'off');
    await world.setSwitch(undefined, 'on');

    expect(requests.map(({ body }) => JSON.parse(body.toString()))).toMatchObject([
      { Name: '/layover/local/replay/orders', Value: 'off', Overwrite: true },
      { Name: '/layover/local/replay/all', Value: 'on', Overwrite: true },
    ]);
  });
});

describe('exports in S3', () => {
  it('are one object per part, never written over another', async () => {
    answer = () => [200, '', 'application/xml'];

    const { to } = await world.exporter.keep('r-1', 'p-1', [aMessage()]);

    expect(to).toBe('s3://exports/r-1/p-1.jsonl.gz');
    expect(requests[0]?.path).toContain('/r-1/p-1.jsonl.gz');
    expect(gunzipSync(requests[0]?.body ?? Buffer.alloc(0)).toString()).toContain(
      '"messageId":"m-1"',
    );
  });

  it('that S3 refuses are refused', async () => {
    answer = () => [403, '<Error><Code>AccessDenied</Code></Error>', 'application/xml'];

    await expect(world.exporter.keep('r-1', 'p-1', [aMessage()])).rejects.toThrow();
  });
});

describe('the pollers of a flow', () => {
  it('are its mappings, in the words of Lambda', async () => {
    answer = ({ path }) => [
      200,
      JSON.stringify({ State: path.endsWith('work') ? 'Enabled' : 'Disabling' }),
    ];

    expect(await world.pollers('orders')).toEqual([
      { id: 'work', state: 'Enabled' },
      { id: 'isolated', state: 'Disabling' },
    ]);
    expect(await world.pollers('mails')).toEqual([]);
  });

  it('are switched all of them', async () => {
    answer = () => [202, '{"State":"Disabling"}'];

    expect(await world.setPollers('orders', false)).toMatchObject([
      { state: 'Disabling' },
      { state: 'Disabling' },
    ]);
    expect(requests.map(({ method, path, body }) => [method, path, body.toString()])).toEqual([
      ['PUT', '/2015-03-31/event-source-mappings/work', '{"Enabled":false}'],
      ['PUT', '/2015-03-31/event-source-mappings/isolated', '{"Enabled":false}'],
    ]);
  });

  it('of which one is refused are switched otherwise, and the refusal names it', async () => {
    answer = ({ path }) =>
      path.endsWith('work')
        ? [409, '{"Type":"User","Message":"being updated"}', 'application/json']
        : [202, '{"State":"Disabling"}', 'application/json'];

    const refused = await world.setPollers('orders', false).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'POLLERS',
      message: expect.stringMatching(/mapping work: .*being updated/),
      states: [{ id: 'isolated', state: 'Disabling' }],
    });
    expect(requests).toHaveLength(2);
  });
});
