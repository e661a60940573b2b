import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stateFiles } from '../../../infra/local/replay/local-state.ts';
import { createLocalWorld } from '../../../infra/local/replay/local-world.ts';
import { writeStateFile } from '../../../infra/local/replay/state-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layover-world-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the world of a local run', () => {
  it('is switched on and quiet while nobody has said otherwise', async () => {
    const world = createLocalWorld(folder);
    await expect(world.killSwitch('orders')).resolves.toBe('on');
    await expect(world.alarmStates(['a'])).resolves.toEqual([{ name: 'a', state: 'OK' }]);
    await expect(world.pollers('orders')).resolves.toEqual([]);
  });

  it('gives the stricter of the switch for all flows and the flow’s own', async () => {
    const world = createLocalWorld(folder);
    await world.setSwitch(undefined, 'manual');
    await world.setSwitch('orders', 'observe');
    await expect(world.killSwitch('orders')).resolves.toBe('manual');
    await world.setSwitch('orders', 'off');
    await expect(world.killSwitch('orders')).resolves.toBe('off');
    await expect(createLocalWorld(folder).killSwitch('other')).resolves.toBe('manual');
  });

  it('can’t be read with a switch that says something unknown, or nothing at all', async () => {
    const world = createLocalWorld(folder);
    await writeStateFile(stateFiles(folder).killSwitch, { all: 'On' });
    await expect(world.killSwitch('orders')).rejects.toThrow(/'On'.*on, observe, manual, off/);
    await writeFile(stateFiles(folder).killSwitch, '{');
    await expect(world.killSwitch('orders')).rejects.toThrow(/holds no JSON/);
  });

  it('has the alarms in alarm that a file lists', async () => {
    await writeStateFile(stateFiles(folder).alarms, ['a']);
    await expect(createLocalWorld(folder).alarmStates(['a', 'b'])).resolves.toEqual([
      { name: 'a', state: 'ALARM' },
      { name: 'b', state: 'OK' },
    ]);
  });

  it('says that pollers are being switched until the run reports that they are', async () => {
    const world = createLocalWorld(folder);
    const { pollers } = stateFiles(folder);
    await writeStateFile(pollers, { orders: [{ id: 'orders', state: 'Enabled' }] });
    const disabling = [{ id: 'orders', state: 'Disabling' }];
    await expect(world.setPollers('orders', false)).resolves.toEqual(disabling);
    await writeStateFile(pollers, { orders: [{ id: 'orders', state: 'Disabled' }] });
    await expect(world.pollers('orders')).resolves.toEqual([{ id: 'orders', state: 'Disabled' }]);
    await expect(world.setPollers('orders', false)).resolves.toEqual([
      { id: 'orders', state: 'Disabled' },
    ]);
  });

  it('keeps what is removed for good in its folder', async () => {
    const { to } = await createLocalWorld(folder).exporter.keep('run-1', '1', []);
    expect(to).toContain(stateFiles(folder).exports);
    await expect(readdir(join(folder, 'exports', 'run-1'))).resolves.toEqual(['1.jsonl.gz']);
  });
});
