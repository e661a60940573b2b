import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGet } from '../../helpers/broker.ts';
import { until } from '../../helpers/until.ts';
import { ScratchVhost } from '../infra/scratch-vhost.ts';

const MAIN = fileURLToPath(new URL('../../../infra/local/main.ts', import.meta.url));
const vhost = new ScratchVhost(`local-run-${process.pid}`);

/** Where the runs of this file keep what they keep for their time. */
let TMPDIR = '';

beforeAll(async () => {
  TMPDIR = await mkdtemp(join(tmpdir(), 'layover-run-test-'));
  await vhost.create();
});
afterAll(async () => {
  await vhost.remove();
  await rm(TMPDIR, { recursive: true, force: true });
});

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `npm start -- …`, as a user runs it, piped; `during` may act on the process while it runs. */
async function npmStart(
  args: readonly string[],
  during: (
    output: () => string,
    kill: (signal: NodeJS.Signals) => void,
  ) => Promise<void> = async () => {},
): Promise<Run> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, AMQP_URL: vhost.url, LAYOVER_BROKER: 'url', TMPDIR },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  await during(
    () => stdout + stderr,
    (signal) => child.kill(signal),
  );
  return { code: await ended, stdout, stderr };
}

interface Books {
  readonly published: number;
  readonly processed: number;
  readonly parked: number;
  readonly discarded: number;
  readonly duplicatesIgnored: number;
  readonly replayed: number;
  readonly inFlight: number;
  readonly lost: number;
  readonly byClass: Readonly<Record<string, number>>;
  readonly attempts: Readonly<Record<string, number>>;
  readonly broker: string;
  readonly seconds: number;
}

function booksOf({ stdout, stderr }: Run): Books {
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  expect(last, stderr).toMatch(/^\{"published":/);
  return JSON.parse(last);
}

const queues = async () =>
  (await managementGet(`/api/queues/${vhost.name}`)) as readonly { readonly name: string }[];

describe('npm start', () => {
  it('accounts for every message although the function is killed twice and one message kills it', async () => {
    const run = await npmStart([
      '--messages',
      '200',
      '--seed',
      '2',
      '--kill',
      '2',
      '--speed',
      '240',
      '--json',
    ]);
    const books = booksOf(run);
    expect(run.code, run.stderr).toBe(0);
    expect(books).toMatchObject({ published: 200, inFlight: 0, lost: 0 });
    const { processed, parked, discarded, duplicatesIgnored } = books;
    expect(processed + parked + discarded + duplicatesIgnored).toBe(200);
    expect(Object.values(books.byClass).reduce((sum, n) => sum + n, 0)).toBe(parked);
    expect(books.byClass).toMatchObject({
      invalid: expect.any(Number),
      bug: expect.any(Number),
      contract: expect.any(Number),
      poison: 1,
    });
    // What an outage parked has gone home; what would only fail again is where it was.
    expect(books.replayed).toBeGreaterThan(0);
    expect(books.byClass).not.toHaveProperty('transient');
    expect(books.broker).toMatch(/^RabbitMQ \d/);
    expect(run.stderr).toContain('killed the function in mid-run (2 of 2)');
    expect(run.stderr).toContain('The books balance');
    expect(await queues()).toEqual([]);
  }, 120_000);

  it('with --no-replay leaves parked what an outage has parked', async () => {
    const options = ['--messages', '100', '--flow', 'orders', '--no-poison', '--no-replay'];
    const run = await npmStart([...options, '--speed', '500', '--json']);
    const books = booksOf(run);
    expect(run.code, run.stderr).toBe(0);
    expect(books.replayed).toBe(0);
    expect(books.byClass.transient).toBeGreaterThan(0);
  }, 60_000);

  it('with --json writes nothing but the books to stdout', async () => {
    const run = await npmStart([
      '--messages',
      '10',
      '--speed',
      '1000',
      '--flow',
      'notifications',
      '--json',
    ]);
    expect(run.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(booksOf(run)).toMatchObject({ published: 10, lost: 0 });
    expect(run.stderr).toContain('Layover: 10 messages (10 notifications)');
  }, 60_000);

  it('takes back what it created when it is interrupted', async () => {
    const run = await npmStart(['--messages', '300'], async (output, kill) => {
      await until('it is running', () => /to do, /.test(output()), { timeoutMs: 30_000 });
      kill('SIGINT');
    });
    expect(run.code).toBe(130);
    expect(run.stdout).toContain('taking back what this run created');
    expect(await queues()).toEqual([]);
  }, 60_000);

  it('refuses a broker on which its queues are in use, and leaves them alone', async () => {
    const connection = await vhost.connect();
    const channel = await connection.createConfirmChannel();
    await channel.assertQueue('orders.parked', { arguments: { 'x-queue-type': 'quorum' } });
    channel.sendToQueue('orders.parked', Buffer.from('somebody’s'));
    await channel.waitForConfirms();
    const run = await npmStart(['--messages', '10']);
    const { messageCount } = await channel.checkQueue('orders.parked');
    await channel.deleteQueue('orders.parked');
    await connection.close();
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('orders.parked: messages 1');
    expect(run.stdout).toContain('virtual host of its own');
    expect(messageCount).toBe(1);
  }, 60_000);

  it('says what is wrong with a flow it does not know, before it looks for a broker', async () => {
    const run = await npmStart(['--flow', 'nothing']);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('there is no such flow');
    expect(run.stdout).not.toContain('broker:');
  });

  it('leaves nothing behind in the folder for temporary files', async () => {
    const run = await npmStart(['--messages', '0']);
    expect(run.code, run.stderr).toBe(0);
    // Node's own cache of compiled files stays on purpose.
    const left = (await readdir(TMPDIR)).filter((name) => name !== 'node-compile-cache');
    expect(left).toEqual([]);
  }, 60_000);
});
