import { gunzipSync } from 'node:zlib';
import type { ChannelModel, ConfirmChannel, GetMessage } from 'amqplib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { applyTopology } from '../../../functions/topology/apply.ts';
import type { Topology } from '../../../functions/topology/types.ts';
import { replayPermissions, replayViewPermissions } from '../../../infra/broker-permissions.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { parkedCopy } from '../../helpers/replay-world.ts';
import { until } from '../../helpers/until.ts';
import { AwsServices } from './aws-services.ts';
import { runBundle } from './run-bundle.ts';
import { ScratchVhost } from './scratch-vhost.ts';
import { type SynthesisedApp, synthesiseProd } from './synthesised.ts';

const vhost = new ScratchVhost('layover-replay');
const USERS = { moves: 'layover-test-replay', looks: 'layover-test-replay-view' } as const;
const PASSWORD = 'a-password-of-40';
const ADA = 'arn:aws:sts::111122223333:assumed-role/oncall/ada';
const QUIET = ['layover-prod-orders-settle-failures', 'layover-prod-orders-replay-regression'];
const SWITCH = '/layover/prod/replay';

let app: SynthesisedApp;
let tables: ReplayTables;
let aws: AwsServices;
let connection: ChannelModel;
let channel: ConfirmChannel;

beforeAll(async () => {
  await vhost.remove(Object.values(USERS));
  await vhost.create();
  app = await synthesiseProd();
  tables = await startReplayTables();
  aws = await AwsServices.start();
  connection = await vhost.connect();
  channel = await connection.createConfirmChannel();
  const topology = JSON.parse(String(app.topology.Model)) as Topology;
  await applyTopology(connection, topology, { mode: 'apply' });
  // With the permissions the deployment gives them, and no others.
  const permissions = {
    moves: replayPermissions(topology),
    looks: replayViewPermissions(topology),
  };
  for (const kind of ['moves', 'looks'] as const) {
    const { tags, ...may } = permissions[kind];
    await vhost.admin.put(`users/${USERS[kind]}`, { password: PASSWORD, tags: tags.join(',') });
    await vhost.admin.put(`permissions/${vhost.name}/${USERS[kind]}`, may);
  }
  aws.parameters.set(`${SWITCH}/all`, 'on');
});
afterAll(async () => {
  await connection.close();
  await vhost.remove(Object.values(USERS));
  await aws.close();
  await tables.stop();
});
afterEach(async () => {
  await channel.purgeQueue('orders.parked');
  await channel.purgeQueue('orders');
});

type Part = 'schedule' | 'view' | 'bodies' | 'run' | 'configure';

const env = (part: Part): Readonly<Record<string, string>> => ({
  ...vhost.env,
  ...tables.env,
  ...aws.env,
  AMQP_URL: vhost.as(USERS[part === 'run' || part === 'schedule' ? 'moves' : 'looks'], PASSWORD),
  LAYOVER_ENVIRONMENT: 'prod',
  LAYOVER_REPLAY_TABLE: tables.replayTableName,
  LAYOVER_AUDIT_TABLE: tables.auditTableName,
  LAYOVER_REPLAY_MODE: 'on',
  LAYOVER_SWITCH_PREFIX: SWITCH,
  LAYOVER_EXPORT_BUCKET: 'exports',
  LAYOVER_QUIET_ALARMS: JSON.stringify({ orders: QUIET, notifications: [] }),
  LAYOVER_MAPPINGS: JSON.stringify({ orders: ['work', 'isolated'] }),
});

/** Calls a function's URL as a person whom AWS has verified; the answer with its status. */
async function ask(part: Part, request: Readonly<Record<string, unknown>>, userArn = ADA) {
  const event = {
    body: JSON.stringify(request),
    requestContext: { requestId: 'r', authorizer: { iam: { userArn } } },
  };
  const { result, error } = await runBundle(
    app.folder(`layover-prod-replay-${part}`),
    event,
    env(part),
  );
  if (error !== undefined) throw new Error(`${error.name}: ${error.message}`);
  const { statusCode, body } = result as { statusCode: number; body: string };
  return { statusCode, answer: JSON.parse(body) };
}

/** Parks copies as the consumer writes them, long enough ago for automatic replay. */
async function park(count: number, headers: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const at = new Date(Date.now() - 3_600_000).toISOString();
  for (let n = 0; n < count; n++) {
    const { content, properties } = parkedCopy(n, {
      'x-failure-first-at': at,
      'x-failure-last-at': at,
      ...headers,
    });
    channel.sendToQueue('orders.parked', content, { ...properties, persistent: true });
  }
  await channel.waitForConfirms();
  await until('all are parked', async () => (await depth('orders.parked')) === count);
}

const depth = async (queue: string) => (await channel.checkQueue(queue)).messageCount;

/** What the management API says, which lags behind by seconds and is what the schedule asks. */
const counted = (queue: string, count: number) =>
  until(`${queue} is counted`, async () => (await vhost.queue(queue))?.messages === count, {
    timeoutMs: 30_000,
  });

async function taken(queue: string): Promise<GetMessage> {
  return until(`something is in ${queue}`, async () => {
    const message = await channel.get(queue, { noAck: true });
    return message === false ? undefined : message;
  });
}

describe('the functions of replay, as synthesised, on a real broker', () => {
  it('show, plan, run and record what a person asks for', async () => {
    await park(3);

    const parked = await ask('view', { operation: 'parked', flow: 'orders' });
    expect([parked.statusCode, parked.answer.window]).toEqual([
      200,
      { depth: 3, scanned: 3, complete: true },
    ]);
    expect(await depth('orders.parked')).toBe(3);

    const planned = await ask('run', { operation: 'plan', flow: 'orders' });
    expect(planned.statusCode).toBe(200);
    const order = { plan: planned.answer.id, reason: 'acquirer is back', ramp: false };
    const ran = await ask('run', { operation: 'run', ...order });
    expect(ran).toMatchObject({ statusCode: 200, answer: { kind: 'ended' } });
    expect(ran.answer.run).toMatchObject({ counters: { moved: 3 } });
    expect(await depth('orders.parked')).toBe(0);
    const { properties } = await taken('orders');
    expect(properties.messageId).toBe('m-0');
    expect(properties.headers).toMatchObject({
      'x-replay-run': planned.answer.id,
      'x-replay-by': ADA,
    });

    const audit = await ask('view', { operation: 'audit', flow: 'orders' });
    expect(JSON.stringify(audit.answer)).toContain('acquirer is back');
    // The tag of its user lets it count, some seconds after a queue was made.
    const status = await until(
      'the depths are known',
      async () => {
        const { answer } = await ask('view', { operation: 'status', flow: 'orders' });
        const [{ depth: known }] = answer;
        return typeof known.parked === 'number' && typeof known.work === 'number' ? answer : false;
      },
      { timeoutMs: 30_000, intervalMs: 1_000 },
    );
    expect(status).toMatchObject([{ flow: 'orders', switch: 'on', parkedSince: null }]);
  });

  it('hand out a body to nobody but who may read bodies', async () => {
    await park(1);
    const request = { operation: 'body', flow: 'orders', messageId: 'm-0' };

    expect((await ask('view', request)).statusCode).toBe(403);
    const { answer } = await ask('bodies', request);

    expect(Buffer.from(answer.base64, 'base64').toString()).toBe('{"n":0}');
  });

  it('keep what is discarded before it is removed', async () => {
    await park(2);
    const planned = await ask('run', { operation: 'plan', flow: 'orders', action: 'discard' });
    const ran = await ask('run', { operation: 'run', plan: planned.answer.id, reason: 'tests' });

    expect(ran.answer.run).toMatchObject({ counters: { discarded: 2 } });
    expect(await depth('orders.parked')).toBe(0);
    const kept = aws.objects.map(({ content }) => gunzipSync(content).toString()).join('');
    expect(kept.trim().split('\n')).toHaveLength(2);
    expect(aws.objects[0]?.path).toContain(`/${planned.answer.id}/`);
  });

  it('pause a flow and let it go on', async () => {
    aws.mappings.set('work', true).set('isolated', true);

    const paused = await ask('configure', { operation: 'pause', flow: 'orders', reason: 'bug' });
    expect(paused.answer).toMatchObject({ switch: 'off' });
    expect([...aws.mappings.values()]).toEqual([false, false]);
    expect(aws.parameters.get(`${SWITCH}/orders`)).toBe('off');

    await ask('configure', { operation: 'resume', flow: 'orders', reason: 'fixed' });
    expect([...aws.mappings.values()]).toEqual([true, true]);
    expect(aws.parameters.get(`${SWITCH}/orders`)).toBe('on');
  });

  it('refuse a caller nobody has verified', async () => {
    expect((await ask('view', { operation: 'status' }, '')).statusCode).toBe(403);
  });

  it('replay by themselves what may be, once the alarms are quiet', async () => {
    await park(1);
    await counted('orders.parked', 1);
    const tick = () => runBundle(app.folder('layover-prod-replay-schedule'), {}, env('schedule'));

    // One of the two alarms doesn't exist yet: unknown is not quiet.
    aws.alarms.set(QUIET[0] ?? '', 'OK');
    const kept = await tick();
    expect(kept.error).toBeUndefined();
    expect(kept.lines).toContainEqual(
      expect.objectContaining({ flow: 'orders', guard: 'alarms', ReplaySkipped: 1 }),
    );
    expect(await depth('orders.parked')).toBe(1);

    aws.alarms.set(QUIET[1] ?? '', 'OK');
    const ticking = tick();
    const { properties } = await taken('orders');
    // What the consumer does when it is done: the ramp waits for it.
    const runId = String(properties.headers?.['x-replay-run']);
    const outcome = { runId, messageId: 'm-0', ok: true };
    await tables.openStore().outcomes.record(outcome, Date.now());
    const run = await ticking;

    expect(run.error).toBeUndefined();
    expect(run.lines).toContainEqual(
      expect.objectContaining({ flow: 'orders', Replayed: 1, ReplayRegressions: 0 }),
    );
    expect(properties.headers).toMatchObject({ 'x-replay-by': 'schedule' });
    expect(await depth('orders.parked')).toBe(0);
  });
});
