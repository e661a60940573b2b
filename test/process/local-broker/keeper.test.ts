import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startKeeper } from '../../../infra/local/broker/keeper.ts';
import { until } from '../../helpers/until.ts';

const KEEPER = new URL('./fixtures/keeper.ts', import.meta.url);
const PARENT = fileURLToPath(new URL('./fixtures/parent.ts', import.meta.url));

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layover-test-'));
  file = join(folder, 'kept');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a keeper', () => {
  it('holds what it started until it is told to stop, and is gone then', async () => {
    const keeper = await startKeeper(KEEPER, { file }, {});
    const { pid } = keeper.data as { pid: number };
    expect(existsSync(file)).toBe(true);
    expect(keeper.gone()).toBeUndefined();

    await keeper.stop();
    await keeper.stop();

    expect(existsSync(file)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('tells its steps', async () => {
    const steps: string[] = [];

    const keeper = await startKeeper(KEEPER, { file }, { onStep: (text) => steps.push(text) });
    await keeper.stop();

    expect(steps).toEqual(['writing']);
  });

  it.each([
    ['fails', 'no room left'],
    ['crashes', 'a mistake'],
    ['hangs', 'writing: nothing within 0 s'],
  ])('that %s gives the reason and leaves nothing behind', async (trouble, reason) => {
    const starting = startKeeper(KEEPER, { file, trouble }, {});

    await expect(starting).rejects.toMatchObject({ code: 'BROKER_CHOICE_FAILED', message: reason });
    expect(existsSync(file)).toBe(false);
  });

  it('that just ends is noticed, with its last words', async () => {
    const starting = startKeeper(KEEPER, { file, trouble: 'exits' }, {});

    await expect(starting).rejects.toThrow('its keeper process ended out of memory');
  });

  it('undoes the other steps when one cannot be undone', async () => {
    const keeper = await startKeeper(KEEPER, { file, trouble: 'undo' }, {});

    await keeper.stop();

    expect(existsSync(file)).toBe(false);
  });

  it('is taken down when starting is interrupted', async () => {
    const interruption = new AbortController();

    const starting = startKeeper(
      KEEPER,
      { file, trouble: 'hangs' },
      { signal: interruption.signal, onStep: () => interruption.abort() },
    );

    await expect(starting).rejects.toThrow('interrupted');
    expect(existsSync(file)).toBe(false);
  });

  it('knows when it went away by itself', async () => {
    const keeper = await startKeeper(KEEPER, { file }, {});
    const { pid } = keeper.data as { pid: number };

    process.kill(pid, 'SIGTERM');

    expect(await until('the keeper is gone', () => keeper.gone())).toContain('ended');
    await keeper.stop();
  });
});

describe('the end of the parent', () => {
  const start = async (how: string) => {
    const parent = spawn(process.execPath, [PARENT, file, how], {
      // A process group of its own, as a terminal would give it.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(parent.stdout, 'data');
    return parent;
  };
  const gone = () => until('what was kept is gone', () => !existsSync(file), { timeoutMs: 10_000 });

  it.each(['SIGKILL', 'SIGTERM'] as const)('by %s takes everything along', async (signal) => {
    const parent = await start('wait');

    parent.kill(signal);

    await gone();
  });

  it('by Ctrl-C, pressed twice, takes everything along', async () => {
    const parent = await start('wait');
    const group = -(parent.pid ?? Number.NaN);

    process.kill(group, 'SIGINT');
    process.kill(group, 'SIGINT');

    await gone();
  });

  it.each(['throw', 'forget'])('by itself (%s) takes everything along', async (how) => {
    await start(how);

    await gone();
  });
});
