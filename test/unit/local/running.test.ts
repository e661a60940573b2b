import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { announce, type RunningLocalRun, runningLocalRuns } from '../../../infra/local/running.ts';

let folder = '';
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'layover-runs-')), 'local-runs');
});
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

const run = (more: Partial<RunningLocalRun> = {}): RunningLocalRun => ({
  pid: process.pid,
  startedAtMs: 1_000,
  amqpUrl: 'amqp://guest:guest@127.0.0.1:5672',
  flows: ['orders'],
  env: { LAYOVER_TIME_SCALE: '120' },
  ...more,
});

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

describe('a local run that stays up', () => {
  it('is found from when it says so until it takes that back', async () => {
    const takeBack = await announce(run(), folder);
    expect(await runningLocalRuns(folder)).toEqual([run()]);
    await takeBack();
    expect(await runningLocalRuns(folder)).toEqual([]);
    await takeBack();
  });

  it('keeps the password of its broker from other users', async () => {
    await announce(run(), folder);
    const { mode } = await stat(join(folder, `${process.pid}.json`));
    expect(mode & 0o077).toBe(0);
  });

  it('counts for nothing once it is dead, and its file is removed', async () => {
    await announce(run({ pid: await deadPid() }), folder);
    expect(await runningLocalRuns(folder)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('stands beside others, the newest first, and takes back only its own', async () => {
    await announce(run(), folder);
    const takeBack = await announce(run({ pid: process.ppid, startedAtMs: 2_000 }), folder);
    const pids = async () => (await runningLocalRuns(folder)).map(({ pid }) => pid);
    expect(await pids()).toEqual([process.ppid, process.pid]);
    await takeBack();
    expect(await pids()).toEqual([process.pid]);
  });

  it('is overlooked while its file is being written', async () => {
    await announce(run(), folder);
    await writeFile(join(folder, `${process.pid}.json`), '{"pid":');
    expect(await runningLocalRuns(folder)).toEqual([]);
  });

  it('is none where no run ever said so', async () => {
    expect(await runningLocalRuns(join(folder, 'nowhere'))).toEqual([]);
  });
});
