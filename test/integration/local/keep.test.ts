import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLocalWorld } from '../../../infra/local/replay/local-world.ts';
import { type RunningLocalRun, runningLocalRuns } from '../../../infra/local/running.ts';
import { inTurns } from '../../helpers/turns.ts';
import { until } from '../../helpers/until.ts';
import { ScratchVhost } from '../infra/scratch-vhost.ts';

const MAIN = fileURLToPath(new URL('../../../infra/local/main.ts', import.meta.url));
const vhost = new ScratchVhost(`local-keep-${process.pid}`);

inTurns('kept-run');
beforeAll(() => vhost.create());
afterAll(() => vhost.remove());

/** A local run of one flow that stays up, found as a command in another terminal finds it. */
async function keptRun(): Promise<RunningLocalRun> {
  const child = spawn(
    process.execPath,
    [MAIN, '--messages', '0', '--flow', 'orders', '--speed', '500', '--keep'],
    { env: { ...process.env, AMQP_URL: vhost.url, LAYOVER_BROKER: 'url' }, stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGINT');
    await ended;
  });
  return until(
    'the run is up',
    async () => (await runningLocalRuns()).find(({ pid }) => pid === child.pid),
    { timeoutMs: 40_000 },
  );
}

describe('a local run that stays up', () => {
  it('lets a flow be paused and resumed from another terminal, and loses nothing meanwhile', async () => {
    const { env } = await keptRun();
    const world = createLocalWorld(String(env.LAYOVER_LOCAL_STATE), vhost.url);
    const states = async () => (await world.pollers('orders')).map(({ state }) => state);
    const connection = await vhost.connect();
    onTestFinished(() => connection.close());
    const channel = await connection.createConfirmChannel();
    const ready = async (queue: string) => (await channel.checkQueue(queue)).messageCount;
    await expect(states()).resolves.toEqual(['Enabled', 'Enabled']);

    await world.setPollers('orders', false);
    await until('both stand still', async () => (await states()).join() === 'Disabled,Disabled');
    channel.sendToQueue('orders', Buffer.from('no order'), { messageId: 'm-1', persistent: true });
    await channel.waitForConfirms();
    expect((await channel.checkQueue('orders')).consumerCount).toBe(0);
    await until('it waits', async () => (await ready('orders')) === 1);

    await world.setPollers('orders', true);
    await until('it is handled', async () => (await ready('orders.parked')) === 1, {
      timeoutMs: 20_000,
    });
    await expect(states()).resolves.toEqual(['Enabled', 'Enabled']);
  }, 90_000);

  it('says where its tables, its state and its broker are', async () => {
    const { env } = await keptRun();
    expect(env).toMatchObject({
      LAYOVER_REPLAY_TABLE: 'layover-replay',
      LAYOVER_AUDIT_TABLE: 'layover-audit',
      LAYOVER_REPLAY_MODE: 'on',
      LAYOVER_BROKER_VHOST: vhost.name,
      AWS_ENDPOINT_URL_DYNAMODB: expect.stringMatching(/^http:/),
    });
  }, 90_000);
});
