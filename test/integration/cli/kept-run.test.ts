import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runningLocalRuns } from '../../../infra/local/running.ts';
import { inTurns } from '../../helpers/turns.ts';
import { until } from '../../helpers/until.ts';
import { ScratchVhost } from '../infra/scratch-vhost.ts';
import { jsonLines, ORDER, ROOT, runCli, tempFile } from './run-cli.ts';

const vhost = new ScratchVhost(`cli-kept-${randomBytes(4).toString('hex')}`);
const MAIN = join(ROOT, 'infra', 'local', 'main.ts');
const started: ChildProcess[] = [];

inTurns('kept-run');
beforeAll(() => vhost.create());
afterAll(() => vhost.remove());
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** `npm start -- --keep` that is up; `end` is Ctrl-C, and gives the exit code. */
async function keptRun() {
  const child = spawn(process.execPath, [MAIN, '--keep', '--messages', '0', '--flow', 'orders'], {
    env: { ...process.env, AMQP_URL: vhost.url, LAYOVER_BROKER: 'url' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await until('it stays up', () => output.includes('Staying up'), { timeoutMs: 30_000 });
  return {
    pid: child.pid ?? 0,
    said: (what: string) =>
      until(`the run says ${what}`, () => output.includes(what), { timeoutMs: 20_000 }),
    end: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

const isAnnounced = async (pid: number) =>
  (await runningLocalRuns()).some((run) => run.pid === pid);

describe('a local run that stays up', () => {
  it('is found by send and invoke without AMQP_URL, until Ctrl-C', async () => {
    const run = await keptRun();
    await run.said('npm run -s layover -- send orders body.json');

    const body = await tempFile('body.json', ORDER);
    const sent = await runCli(['send', 'orders', body, '--id', 'from-another-terminal'], {
      amqpUrl: undefined,
    });
    expect(sent.code, sent.stderr).toBe(0);
    expect(sent.stderr).toContain(`the local run that is up (process ${run.pid})`);
    await run.said('orders from-another-terminal attempt 1 done');

    const again = await runCli(['invoke', 'orders', '--event', '-', '--json'], {
      amqpUrl: undefined,
      stdin: JSON.stringify({
        eventSource: 'aws:rmq',
        rmqMessagesByQueue: {
          'orders::/': [
            {
              basicProperties: { messageId: 'from-another-terminal' },
              redelivered: false,
              data: Buffer.from(ORDER).toString('base64'),
            },
          ],
        },
      }),
    });
    expect(again.code, again.stderr).toBe(0);
    // The same table of claims as the run's own function.
    expect(jsonLines(again)).toMatchObject([{ verdict: 'duplicate' }]);

    const status = await runCli(['status', '--json'], { amqpUrl: undefined });
    expect(status.code, status.stderr).toBe(0);
    expect(jsonLines(status)).toMatchObject([
      [{ environment: 'local', flow: 'orders', switch: 'on', depth: { work: expect.any(Number) } }],
    ]);

    expect(await isAnnounced(run.pid)).toBe(true);
    await run.end();
    expect(await isAnnounced(run.pid)).toBe(false);
  }, 90_000);

  it('counts for nothing when it was killed', async () => {
    const run = await keptRun();
    expect(await isAnnounced(run.pid)).toBe(true);
    process.kill(run.pid, 'SIGKILL');
    await until('it is dead', async () => !(await isAnnounced(run.pid)), { timeoutMs: 10_000 });
  }, 60_000);
});
