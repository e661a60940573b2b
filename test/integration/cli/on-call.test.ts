import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { flow as orders } from '../../../functions/flows/orders/flow.ts';
import { openReplay } from '../../../functions/replay/open-replay.ts';
import { parseReplaySettings } from '../../../functions/replay/settings.ts';
import { applyTopology } from '../../../functions/topology/apply.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { parkedQueueName } from '../../../functions/topology/names.ts';
import { createLocalWorld } from '../../../infra/local/replay/local-world.ts';
import { brokerUrl, managementUrl } from '../../helpers/broker.ts';
import { BOB, OperatorFunctions } from '../../helpers/operator-functions.ts';
import { type ReplayBroker, replayBroker } from '../../helpers/replay-broker.ts';
import { type ReplayTables, startReplayTables } from '../../helpers/replay-tables.ts';
import { parkedCopy } from '../../helpers/replay-world.ts';
import { until } from '../../helpers/until.ts';
import { ScratchVhost } from '../infra/scratch-vhost.ts';
import { jsonLines, type Ran, runCli } from './run-cli.ts';

const vhost = new ScratchVhost(`cli-on-call-${randomBytes(4).toString('hex')}`);
let tables: ReplayTables;

beforeAll(async () => {
  tables = await startReplayTables();
  await vhost.create();
});
afterAll(async () => {
  await vhost.remove();
  await tables.stop();
});

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const ofKind = (n: number) => ({
  'x-failure-last-at': hourAgo(),
  ...(n % 2 === 0 ? {} : { 'x-failure-class': 'invalid', 'x-failure-signature': 'bad-total' }),
});

async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'layover-state-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The environment `dev`: its functions on loopback, their engine on the real broker. */
async function deployed(broker: ReplayBroker) {
  // Clients of the SDK in this process find the tables here.
  for (const [name, value] of Object.entries(tables.env)) vi.stubEnv(name, value);
  const settings = parseReplaySettings({
    ...tables.env,
    AMQP_URL: brokerUrl(),
    LAYOVER_ENVIRONMENT: 'dev',
    LAYOVER_MANAGEMENT_URL: managementUrl(),
    LAYOVER_REPLAY_TABLE: tables.replayTableName,
    LAYOVER_AUDIT_TABLE: tables.auditTableName,
  });
  const replay = openReplay(settings, createLocalWorld(await stateFolder()));
  // Refusals are logged by the functions; here they are wanted.
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const ports = { ...replay, log: () => undefined, metric: () => undefined };
  const functions = await OperatorFunctions.start([broker.flow], () => ports);
  onTestFinished(async () => {
    await functions.close();
    await replay.close();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  return { functions, replay };
}

/** A healthy consumer, which tells outcomes as the product's does. */
async function consume(
  { scratch, flow }: ReplayBroker,
  { replay }: Awaited<ReturnType<typeof deployed>>,
) {
  const channel = await scratch.sideChannel();
  await channel.consume(flow.queue, (delivery) => {
    if (delivery === null) return;
    const messageId = String(delivery.properties.messageId);
    const runId = String(delivery.properties.headers?.['x-replay-run']);
    void replay.store.outcomes
      .record({ runId, messageId, ok: true }, Date.now())
      .then(() => channel.ack(delivery));
  });
}

const planIdOf = (ran: Ran) => (jsonLines(ran)[0] as { readonly id: string }).id;

describe('an on-call engineer of a deployed environment', () => {
  it('goes from parked to replayed, verified and audited', async () => {
    const broker = await replayBroker();
    const dev = await deployed(broker);
    await broker.park(0, 30, ofKind);
    await consume(broker, dev);
    const env = dev.functions.env();
    const flow = broker.flow.name;
    const onDev = (...argv: string[]) =>
      runCli([...argv, '--env', 'dev'], { amqpUrl: undefined, env });

    const parked = await onDev('parked', flow);
    expect(parked.code, parked.stderr).toBe(0);
    expect(parked.stdout).toMatch(/^transient +sig-network +15 .* yes /m);
    expect(parked.stdout).toMatch(/^invalid +bad-total +15 .* no: class /m);

    const plan = await onDev('plan', flow, '--class', 'transient', '--limit', '12', '--json');
    const id = planIdOf(plan);
    const unconfirmed = await onDev('run', id, '--reason', 'payments are back');
    expect(unconfirmed).toMatchObject({ code: 2, stdout: '' });

    const ran = await onDev('run', id, '--reason', 'payments are back', '--yes', '--rate', '200/s');
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('12 of 12: moved 12, for ada');
    expect(ran.stdout).toContain('Parked: 30 messages before, 18 after');

    const watched = await onDev('watch', id, '--json');
    expect(jsonLines(watched)).toMatchObject([{ state: 'done', counters: { moved: 12 } }]);
    const audit = await onDev('audit', flow, '--run', id);
    expect(audit.stdout).toMatch(
      /started +replay of 12 messages by ada: payments are back, 200\/s/,
    );

    const again = await onDev('run', id, '--reason', 'once more', '--yes');
    expect(again.code).toBe(3);
    expect(again.stderr).toContain(
      `plan ${flow} --class transient --limit 12 --rate 200/s --env dev`,
    );
  }, 120_000);

  it('is not let in without credentials or permission, nor somewhere else', async () => {
    const broker = await replayBroker();
    const { functions } = await deployed(broker);
    const env = functions.env();
    const ask = (changes: Readonly<Record<string, string>>, ...argv: string[]) =>
      runCli(argv, { amqpUrl: undefined, env: { ...env, ...changes } });

    const nobody = {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_PROFILE: '',
      HOME: tmpdir(),
    };
    const [none, bob, elsewhere, away] = await Promise.all([
      ask(nobody, 'status', '--env', 'dev'),
      ask(functions.env(BOB), 'plan', broker.flow.name, '--env', 'dev'),
      ask({}, 'status', '--env', 'staging'),
      ask({ AWS_ENDPOINT_URL_LAMBDA: 'http://127.0.0.1:1' }, 'status', '--env', 'dev'),
    ]);

    expect(none.code, none.stderr).toBe(4);
    expect(none.stderr).toContain('No AWS credentials were found');
    expect(bob.code).toBe(4);
    expect(bob.stderr).toContain('layover-dev-replay-run');
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.stderr).toContain('Is staging deployed there?');
    expect(away.code).toBe(1);
    expect(away.stderr).toContain("can't be reached: ECONNREFUSED");
  }, 120_000);
});

describe('a developer with a broker of their own', () => {
  it('does the same without --env, and removes what is of no use', async () => {
    const connection = await vhost.connect();
    await applyTopology(connection, buildTopology([orders]), { mode: 'apply' });
    const channel = await connection.createConfirmChannel();
    const parked = parkedQueueName(orders.queue);
    for (let n = 0; n < 6; n++) {
      const { content, properties } = parkedCopy(n, ofKind(n));
      channel.sendToQueue(parked, content, { ...properties, persistent: true });
    }
    await channel.waitForConfirms();
    const folder = await stateFolder();
    const here = (...argv: string[]) =>
      runCli(argv, {
        amqpUrl: vhost.url,
        env: {
          ...tables.env,
          LAYOVER_MANAGEMENT_URL: managementUrl(),
          LAYOVER_REPLAY_TABLE: tables.replayTableName,
          LAYOVER_AUDIT_TABLE: tables.auditTableName,
          LAYOVER_LOCAL_STATE: folder,
        },
      });

    const planned = await here('plan', 'orders', '--class', 'transient', '--no-ramp', '--json');
    expect(planned.code, planned.stderr).toBe(0);
    const ran = await here('run', planIdOf(planned), '--reason', 'x', '--json');
    expect(ran.code, ran.stderr).toBe(0);
    expect(jsonLines(ran).at(-1)).toMatchObject({ state: 'done', counters: { moved: 3 } });
    expect((await channel.checkQueue(orders.queue)).messageCount).toBe(3);

    const id = planIdOf(await here('discard', 'orders', '--id', 'm-1', '--json'));
    const unconfirmed = await here('run', id, '--reason', 'test data');
    expect(unconfirmed.code).toBe(2);
    const removed = await here('run', id, '--reason', 'test data', '--yes');
    expect(removed.code, removed.stderr).toBe(0);
    expect(await readdir(join(folder, 'exports'), { recursive: true })).not.toEqual([]);

    await until(
      'the management API to know',
      async () => {
        const [status] = jsonLines(await here('status', 'orders', '--json')) as [
          readonly { readonly depth: unknown }[],
        ];
        return (
          JSON.stringify(status[0]?.depth) === '{"work":3,"waiting":0,"isolated":0,"parked":2}'
        );
      },
      { timeoutMs: 30_000 },
    );
    const shown = await here('show', 'm-3');
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toMatch(/^flow +orders$/m);
    await connection.close();
  }, 120_000);

  it('is told what is missing when the tables are not named', async () => {
    const { code, stderr } = await runCli(['status'], {
      amqpUrl: vhost.url,
      env: { LAYOVER_REPLAY_TABLE: '', LAYOVER_AUDIT_TABLE: '' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('set LAYOVER_REPLAY_TABLE and LAYOVER_AUDIT_TABLE');
  });
});
