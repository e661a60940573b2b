import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { ChannelModel, ConfirmChannel } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_MEMORY, type ProbeMemory, parseMemory } from '../../../functions/probe/memory.ts';
import { MEMORY_KEY } from '../../../functions/probe/memory-store.ts';
import { RETIREMENT_MS } from '../../../functions/probe/retired-tiers.ts';
import { applyTopology } from '../../../functions/topology/apply.ts';
import type { Topology } from '../../../functions/topology/types.ts';
import { probePermissions } from '../../../infra/broker-permissions.ts';
import { LambdaService } from '../../helpers/lambda-service.ts';
import { startTable, type TestTable } from '../../helpers/table.ts';
import { TlsFront } from '../../helpers/tls-front.ts';
import { until } from '../../helpers/until.ts';
import { type BundleRun, runBundle } from './run-bundle.ts';
import { ScratchVhost } from './scratch-vhost.ts';
import { type SynthesisedApp, synthesiseProd } from './synthesised.ts';

const vhost = new ScratchVhost('layover-probe');
const USER = 'layover-test-probe';
const PASSWORD = 'a-password-of-40';
let app: SynthesisedApp;
let table: TestTable;
let lambda: LambdaService;
let connection: ChannelModel;
let channel: ConfirmChannel;

beforeAll(async () => {
  await vhost.remove([USER]);
  await vhost.create();
  app = await synthesiseProd();
  table = await startTable();
  lambda = await LambdaService.start((id) =>
    id === 'isolated' ? { State: 'Disabled' } : { State: 'Enabled', LastProcessingResult: 'OK' },
  );
  connection = await vhost.connect();
  channel = await connection.createConfirmChannel();
  const model = readFileSync(join(app.folder('layover-prod-probe'), 'model.json'), 'utf8');
  const topology = JSON.parse(model) as Topology;
  await applyTopology(connection, topology, { mode: 'apply' });
  const { tags, ...permissions } = probePermissions(topology, true);
  await vhost.admin.put(`users/${USER}`, { password: PASSWORD, tags: tags.join(',') });
  await vhost.admin.put(`permissions/${vhost.name}/${USER}`, permissions);
});
afterAll(async () => {
  await connection.close();
  await vhost.remove([USER]);
  await lambda.close();
  await table.stop();
});

const probe = (env: Readonly<Record<string, string>> = {}): Promise<BundleRun> =>
  runBundle(
    app.folder('layover-prod-probe'),
    {},
    {
      ...vhost.env,
      ...table.env,
      ...lambda.env,
      // With the permissions the deployment gives it, and no others.
      AMQP_URL: vhost.as(USER, PASSWORD),
      LAYOVER_REMOVE_TIERS: 'true',
      ...env,
    },
  );

/** Metrics of the flow `orders`, of one run. */
const ofOrders = ({ lines }: BundleRun) =>
  lines.find(({ flow, tier, _aws }) => flow === 'orders' && tier === undefined && _aws) ?? {};

/** Runs the probe until the broker's figures have caught up, which takes up to ten seconds. */
const probedUntil = (
  what: string,
  holds: (metrics: Readonly<Record<string, unknown>>) => boolean,
) =>
  until(
    what,
    async () => {
      const run = await probe();
      if (run.error !== undefined) throw new Error(run.error.message);
      return holds(ofOrders(run)) ? run : undefined;
    },
    { timeoutMs: 40_000, intervalMs: 1_000 },
  );

async function remembered(): Promise<ProbeMemory> {
  const { Item } = await table.client.send(
    new GetItemCommand({ TableName: table.tableName, Key: { id: { S: MEMORY_KEY } } }),
  );
  return parseMemory(Item?.memory?.S);
}

async function remember(memory: ProbeMemory): Promise<void> {
  await table.client.send(
    new PutItemCommand({
      TableName: table.tableName,
      Item: { id: { S: MEMORY_KEY }, memory: { S: JSON.stringify(memory) } },
    }),
  );
}

async function send(queue: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    channel.sendToQueue(queue, Buffer.from(`${i}`), { persistent: true });
  }
  await channel.waitForConfirms();
}

describe('the probe, as synthesised, on a real broker', () => {
  it('reports depth, wait and unread queues without taking a message', async () => {
    await send('orders', 3);
    await send('orders.wait.30m', 2);
    await send('orders.parked', 4);

    // A queue just declared has some of its figures seconds before others.
    const run = await probedUntil(
      'all nine are counted, and every queue reports',
      ({ WorkDepth, WaitDepth, ParkedDepth, WaitStuck, UnreadQueues }) =>
        WorkDepth === 3 &&
        WaitDepth === 2 &&
        ParkedDepth === 4 &&
        WaitStuck !== undefined &&
        UnreadQueues !== undefined,
    );

    expect(ofOrders(run)).toMatchObject({ WaitStuck: 0, UnreadQueues: 2, SettleFailures: 0 });
    const tier = run.lines.find(({ flow, tier: name }) => flow === 'orders' && name === '30m');
    expect(tier).toMatchObject({ WaitDepth: 2, environment: 'test' });
    expect(run.lines.at(-1)).toMatchObject({ ProbeRuns: 1 });
    const look = await channel.get('orders.parked');
    if (look === false) throw new Error('The parking queue is empty.');
    expect(look.fields.redelivered).toBe(false);
    channel.nack(look);
  });

  it('keeps what it needs to remember in the table', async () => {
    const memory = await until(
      'the counters have caught up with the depth',
      async () => {
        await probe();
        const { parking } = await remembered();
        return parking.orders?.published === 4 ? parking.orders : undefined;
      },
      { timeoutMs: 30_000, intervalMs: 1_000 },
    );
    expect(memory).toMatchObject({ published: 4, acknowledged: 0, unexplained: 0 });
    expect(memory.filledSinceMs).toBeGreaterThan(0);
  });

  it('counts what the broker itself moved to parking, which nobody published', async () => {
    // Runs a second apart see figures of different age; from here on they are at rest.
    await remember(NO_MEMORY);
    await probe();
    // Another consumer of the queue rejects: that, too, is a dead letter.
    for (let i = 0; i < 3; i++) {
      const message = await channel.get('orders');
      if (message) channel.reject(message, false);
    }
    let deadLettered = 0;
    await probedUntil('three dead letters are counted', (metrics) => {
      deadLettered += Number(metrics.DeadLettered ?? 0);
      return deadLettered >= 3;
    });
    expect(deadLettered).toBe(3);
  });

  it('removes a tier that nobody has named for a day, and no other', async () => {
    for (const queue of ['orders.wait.77s', 'orders.wait.78s', 'foreign.wait.77s']) {
      await channel.assertQueue(queue, {
        durable: true,
        arguments: { 'x-queue-type': 'quorum' },
      });
    }
    await send('orders.wait.78s', 1);
    await probedUntil('both are noticed', () => true);
    const old = { sinceMs: Date.now() - RETIREMENT_MS - 1_000, emptyRuns: 1 };
    await remember({
      parking: {},
      retired: { 'orders.wait.77s': old, 'orders.wait.78s': old, 'foreign.wait.77s': old },
    });
    await until(
      'the message in the other tier is counted',
      async () => {
        const queue = await vhost.queue('orders.wait.78s');
        return queue?.messages === 1;
      },
      { timeoutMs: 30_000, intervalMs: 500 },
    );

    const run = await probe();

    expect(run.lines.filter(({ message }) => message === 'retired tier removed')).toEqual([
      { message: 'retired tier removed', queue: 'orders.wait.77s' },
    ]);
    expect(await vhost.queue('orders.wait.77s')).toBeUndefined();
    expect(await vhost.queue('orders.wait.78s')).toBeDefined();
    expect(await vhost.queue('foreign.wait.77s')).toBeDefined();
    expect(await vhost.queue('orders.wait.30m')).toBeDefined();
  });

  it('tells what Lambda says of the mappings, in figures and in words', async () => {
    const LAYOVER_MAPPINGS = JSON.stringify({ orders: ['work', 'isolated'] });
    const run = await probe({ LAYOVER_MAPPINGS });
    expect(run.error).toBeUndefined();
    expect(ofOrders(run)).toMatchObject({ MappingsNotEnabled: 1, MappingProblems: 0 });
    expect(run.lines).toContainEqual({
      message: 'mapping not enabled',
      flow: 'orders',
      mapping: 'isolated',
      state: 'Disabled',
    });
    expect(run.lines.at(-1)).toMatchObject({ ProbeRuns: 1 });
  });

  it('goes on with everything else when Lambda can not be asked', async () => {
    const run = await probe({
      LAYOVER_MAPPINGS: JSON.stringify({ orders: ['work', 'isolated'] }),
      AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:9',
    });
    expect(run.error).toBeUndefined();
    const metrics = ofOrders(run);
    expect(metrics).toHaveProperty('WorkDepth');
    expect(metrics).not.toHaveProperty('MappingsNotEnabled');
    expect(run.lines.filter(({ message }) => message === 'mapping state unknown')).toHaveLength(2);
  });

  it('asks over TLS, and nobody whose certificate it has no reason to trust', async () => {
    const front = await TlsFront.start(vhost.env.LAYOVER_MANAGEMENT_URL ?? '');
    try {
      const LAYOVER_MANAGEMENT_URL = front.url;
      const trusting = { LAYOVER_MANAGEMENT_URL, NODE_EXTRA_CA_CERTS: front.authorityFile };
      expect(ofOrders(await probe(trusting))).toHaveProperty('WorkDepth');

      const run = await probe({ LAYOVER_MANAGEMENT_URL });
      expect(run.error?.name).toBe('ManagementError');
      expect(run.error?.message).toMatch(/certificate/);
      expect(run.lines).toEqual([]);
    } finally {
      await front.close();
    }
  });

  it('prints nothing when the broker does not answer, so that its silence is noticed', async () => {
    const run = await probe({ LAYOVER_MANAGEMENT_URL: 'http://127.0.0.1:9' });
    expect(run.error?.name).toBe('ManagementError');
    expect(run.lines).toEqual([]);
  });
});
