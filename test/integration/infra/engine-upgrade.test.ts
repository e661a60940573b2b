import amqp, { type ChannelModel } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targetOfUrl } from '../../../functions/broker/config.ts';
import { Management } from '../../../functions/broker/management.ts';
import { readFigures } from '../../../functions/probe/figures.ts';
import { NEVER_DELIVERY_LIMIT } from '../../../functions/topology/arguments.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { until } from '../../helpers/until.ts';
import { runBundle } from './run-bundle.ts';
import { type SynthesisedApp, synthesiseProd } from './synthesised.ts';
import { type BrokerAccess, findUpgrade } from './upgrade-brokers.ts';

const VHOST = 'layover-upgrade';
/** More than RabbitMQ 4's own limit of 20, after which it drops a message or dead-letters it. */
const LOOKS = 25;
const upgrade = await findUpgrade();
const versionOf = (text: string) => /\d+\.\d+/.exec(text)?.[0];

let app: SynthesisedApp;
let broker: BrokerAccess;

const admin = () => {
  const { username, password } = targetOfUrl(broker.amqpUrl);
  return new Management({ baseUrl: broker.managementUrl, username, password });
};
const url = () => new URL(`/${VHOST}`, broker.amqpUrl).href;
const connect = (): Promise<ChannelModel> => amqp.connect(url());

/** The deployment's custom resource, as synthesised, with the flow's model. */
function apply(RequestType: 'Create' | 'Update', delaysMs: readonly number[]) {
  const topology = buildTopology([
    {
      name: 'orders',
      queue: 'orders',
      queueMode: 'declare',
      bindings: [{ exchange: 'shop', type: 'topic', routingKey: 'order.placed' }],
      schedule: { delaysMs, jitter: { lanes: 1, spread: 0 } },
    },
  ]);
  return runBundle(
    app.folder('layover-prod-topology'),
    {
      RequestType,
      ResourceProperties: {
        Vhost: VHOST,
        Mode: 'apply',
        Model: JSON.stringify(topology),
        Users: '[]',
      },
    },
    {
      AMQP_URL: url(),
      LAYOVER_BROKER_VHOST: VHOST,
      LAYOVER_MANAGEMENT_URL: broker.managementUrl,
    },
  );
}

const SHORT_MS = 5_000;
const LONG_MS = 3_600_000;

/** Totals, once the management API counts what is wanted. */
const counted = (wanted: Readonly<Record<string, number>>) =>
  until(
    `the broker counts ${JSON.stringify(wanted)}`,
    async () => {
      const figures = readFigures(await admin().get(`queues/${VHOST}`));
      const found = Object.keys(wanted).map((name) => [name, figures.get(name)?.messages]);
      return JSON.stringify(Object.fromEntries(found)) === JSON.stringify(wanted);
    },
    { timeoutMs: 40_000, intervalMs: 500 },
  );

beforeAll(async () => {
  app = await synthesiseProd();
  broker = await upgrade.start();
  await admin().delete(`vhosts/${VHOST}`);
  await admin().put(`vhosts/${VHOST}`);

  const created = await apply('Create', [SHORT_MS, LONG_MS]);
  expect(created.error).toBeUndefined();
  const connection = await connect();
  const channel = await connection.createConfirmChannel();
  // As somebody's hand or an earlier release may have left it: a tier without any argument of ours.
  await channel.assertQueue('orders.wait.7s', {
    durable: true,
    arguments: { 'x-queue-type': 'quorum' },
  });
  for (const [queue, count] of [
    ['orders.wait.5s', 1],
    ['orders.wait.1h', 2],
    ['orders.parked', 3],
  ] as const) {
    for (let n = 0; n < count; n++) {
      channel.sendToQueue(queue, Buffer.from(`${queue} ${n}`), { persistent: true });
    }
  }
  await channel.waitForConfirms();
  await connection.close();

  broker = await upgrade.upgrade();
}, 240_000);

afterAll(async () => {
  await admin().delete(`vhosts/${VHOST}`);
  await upgrade.end();
}, 60_000);

describe(`a topology applied on ${upgrade.from}, the same data read by ${upgrade.to}`, () => {
  it('is read by the version it is meant for', () => {
    expect(versionOf(broker.version)).toBe(versionOf(upgrade.to));
  });

  it('is complete and equal: the deployment after the upgrade changes nothing', async () => {
    const run = await apply('Update', [SHORT_MS, LONG_MS]);
    expect(run.error).toBeUndefined();
    expect(run.result).toMatchObject({ Data: { created: '0', unchanged: '7' } });
  });

  it('has its messages: what waited comes back, what still waits and what is parked is there', async () => {
    await counted({ orders: 1, 'orders.wait.5s': 0, 'orders.wait.1h': 2, 'orders.parked': 3 });
  });

  it('keeps "never" as the limit of deliveries, however often parking is looked at', async () => {
    const queue = (await admin().get(`queues/${VHOST}/orders.parked`)) as { arguments: object };
    expect(queue.arguments).toMatchObject({ 'x-delivery-limit': NEVER_DELIVERY_LIMIT });
    const connection = await connect();
    const channel = await connection.createChannel();
    for (let look = 0; look < LOOKS; look++) {
      const message = await channel.get('orders.parked');
      if (message === false) throw new Error(`Nothing was there at look ${look}.`);
      // A reject counts as a delivery on every version; a nack doesn't on 4.3.
      channel.reject(message, true);
    }
    await connection.close();
    await counted({ 'orders.parked': 3 });
  });

  it('takes new messages through a wait of the new version', async () => {
    const connection = await connect();
    const channel = await connection.createConfirmChannel();
    channel.sendToQueue('orders.wait.5s', Buffer.from('after'), { persistent: true });
    await channel.waitForConfirms();
    await connection.close();
    await counted({ orders: 2, 'orders.wait.5s': 0 });
  });

  it('names a queue from before that has other arguments, and what to do', async () => {
    const run = await apply('Update', [SHORT_MS, 7_000, LONG_MS]);
    expect(run.error?.message).toContain('Queue "orders.wait.7s" exists with ');
    expect(run.error?.message).toContain('Give the tier another delay');
  });
});
