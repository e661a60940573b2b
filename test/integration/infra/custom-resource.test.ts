import amqp from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTopology } from '../../../functions/topology/model.ts';
import type { ManagedUser } from '../../../functions/topology/resource-properties.ts';
import type { TopologyInput } from '../../../functions/topology/types.ts';
import { flowPermissions } from '../../../infra/broker-permissions.ts';
import { SecretsService } from '../../helpers/secrets-service.ts';
import { until } from '../../helpers/until.ts';
import { runBundle } from './run-bundle.ts';
import { ScratchVhost } from './scratch-vhost.ts';
import { type SynthesisedApp, synthesiseProd } from './synthesised.ts';

const vhost = new ScratchVhost('layover-custom-resource');
const USER = 'layover-test-orders';
const SECRET = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:orders-AbCdEf';

let app: SynthesisedApp;
let secrets: SecretsService;

beforeAll(async () => {
  await vhost.remove([USER]);
  app = await synthesiseProd();
  secrets = await SecretsService.start(() => ({
    text: JSON.stringify({ username: USER, password: 'a-password-of-40' }),
  }));
});
afterAll(async () => {
  await vhost.remove([USER]);
  await secrets.close();
});

const flow = (delaysMs: readonly number[]): TopologyInput => ({
  name: 'orders',
  queue: 'orders',
  queueMode: 'declare',
  bindings: [{ exchange: 'shop', type: 'topic', routingKey: 'order.placed' }],
  schedule: { delaysMs, jitter: { lanes: 1, spread: 0 } },
});

function properties(delaysMs: readonly number[], change: object = {}) {
  const topology = buildTopology([flow(delaysMs)]);
  const user: ManagedUser = { secretArn: SECRET, ...flowPermissions(topology, 'orders') };
  return {
    ServiceToken: 'arn:aws:lambda:eu-central-1:111122223333:function:framework',
    Vhost: vhost.name,
    Mode: 'apply',
    Model: JSON.stringify(topology),
    Users: JSON.stringify([user]),
    ...change,
  };
}

/** Sends an event as the Provider framework does, to the synthesised bundle. */
const send = (RequestType: string, ResourceProperties: object, more: object = {}) =>
  runBundle(
    app.folder('layover-prod-topology'),
    { RequestType, ResourceProperties, LogicalResourceId: 'Topology', ...more },
    { ...vhost.env, ...secrets.env },
  );

const data = (run: { result?: unknown }) =>
  (run.result as { PhysicalResourceId: string; Data: Record<string, string> } | undefined) ?? {
    PhysicalResourceId: '',
    Data: {},
  };

describe('the custom resource, as synthesised, on a real broker', () => {
  it('makes virtual host, user and queues on Create', async () => {
    const run = await send('Create', properties([30_000]));
    expect(run.error).toBeUndefined();
    expect(data(run)).toEqual({
      PhysicalResourceId: 'layover-topology',
      // Five queues and an exchange.
      Data: { created: '6', unchanged: '0' },
    });
    expect(await vhost.queue('orders.wait.30s')).toMatchObject({
      type: 'quorum',
      arguments: { 'x-message-ttl': 30_000 },
    });
  });

  it('gives the user what it needs and nothing else', async () => {
    const model = await amqp.connect(vhost.as(USER, 'a-password-of-40'));
    const channel = await model.createConfirmChannel();
    channel.sendToQueue('orders.parked', Buffer.from('copy'), { persistent: true });
    await channel.waitForConfirms();
    expect(await channel.get('orders')).toBe(false);
    const refused = await model.createChannel().then(async (other) => {
      other.on('error', () => undefined);
      return other.get('orders.parked').then(
        () => 'allowed',
        (error: Error) => error.message,
      );
    });
    expect(refused).toContain('ACCESS_REFUSED');
    await model.close();
  });

  it('changes nothing when the same event comes again', async () => {
    const run = await send('Create', properties([30_000]));
    expect(data(run).Data).toEqual({ created: '0', unchanged: '6' });
  });

  it('case 58: makes a new queue for a changed delay, and lets the old one drain', async () => {
    const connection = await vhost.connect();
    const channel = await connection.createConfirmChannel();
    channel.sendToQueue('orders.wait.30s', Buffer.from('waiting'), { persistent: true });
    await channel.waitForConfirms();

    const run = await send('Update', properties([45_000]), {
      PhysicalResourceId: 'layover-topology',
      OldResourceProperties: properties([30_000]),
    });

    expect(data(run)).toMatchObject({
      PhysicalResourceId: 'layover-topology',
      Data: { created: '1', unchanged: '5' },
    });
    const old = await channel.checkQueue('orders.wait.30s');
    expect(old.messageCount).toBe(1);
    await connection.close();
  });

  it('applies the previous model again on a rollback', async () => {
    const run = await send('Update', properties([30_000]), {
      PhysicalResourceId: 'layover-topology',
      OldResourceProperties: properties([45_000]),
    });
    expect(run.error).toBeUndefined();
    expect(data(run).Data).toEqual({ created: '0', unchanged: '6' });
  });

  it('case 40: touches no queue on Delete, whose messages are still there', async () => {
    const run = await send('Delete', properties([30_000]), {
      PhysicalResourceId: 'layover-topology',
    });
    expect(run.error).toBeUndefined();
    const parked = await until(
      'the parked copy is counted',
      async () => {
        const queue = await vhost.queue('orders.parked');
        return queue?.messages === 1 ? queue : undefined;
      },
      { timeoutMs: 30_000, intervalMs: 500 },
    );
    expect(parked).toBeDefined();
    expect(await vhost.queue('orders.wait.45s')).toBeDefined();
  });

  it('says which queue differs, in what, and what to do; everything else is applied', async () => {
    const connection = await vhost.connect();
    const channel = await connection.createChannel();
    // As an older broker or another team may have left it: no limit, no dead-lettering.
    await channel.assertQueue('orders.wait.7s', {
      durable: true,
      arguments: { 'x-queue-type': 'quorum' },
    });
    await connection.close();

    const run = await send('Update', properties([7_000, 8_000]));

    expect(run.error?.message).toContain('1 thing at ');
    expect(run.error?.message).toContain('nothing was deleted.');
    expect(run.error?.message).toContain('Queue "orders.wait.7s" exists with ');
    expect(run.error?.message).toContain('Give the tier another delay');
    expect(await vhost.queue('orders.wait.8s')).toBeDefined();
  });

  it('changes nothing when it only checks, and names what is missing', async () => {
    const run = await send('Update', properties([9_000], { Mode: 'check', Users: '[]' }));
    expect(run.error?.message).toContain('Queue "orders.wait.9s" does not exist.');
    expect(await vhost.queue('orders.wait.9s')).toBeUndefined();
  });

  it('says so when a user’s secret can not be read', async () => {
    secrets.answer = () => ({ error: 'AccessDeniedException' });
    const run = await send('Update', properties([30_000]));
    secrets.answer = () => ({
      text: JSON.stringify({ username: USER, password: 'a-password-of-40' }),
    });
    expect(run.error?.message).toContain(`The broker's secret ${SECRET} can't be read`);
    expect(run.error?.message).toContain('AccessDeniedException');
  });

  it('says so when there is no broker, and what to check', async () => {
    const run = await runBundle(
      app.folder('layover-prod-topology'),
      { RequestType: 'Create', ResourceProperties: properties([30_000]) },
      { ...vhost.env, ...secrets.env, LAYOVER_MANAGEMENT_URL: 'http://127.0.0.1:9' },
    );
    expect(run.error).toMatchObject({ name: 'ManagementError' });
    expect(run.error?.message).toContain('Check that the broker runs and that its security group');
  });

  it('takes the properties of the template as they are, users aside', async () => {
    const run = await send('Create', { ...app.topology, Vhost: vhost.name, Users: '[]' });
    expect(run.error).toBeUndefined();
    expect(Number(data(run).Data.created)).toBeGreaterThan(5);
  });
});
