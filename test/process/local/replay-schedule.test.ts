import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ReplaySchedule } from '../../../infra/local/replay/schedule.ts';

const SKIPPED = { flow: 'orders', guard: 'min-age', ReplaySkipped: 1 };
const MOVED = { message: 'replay', flow: 'orders', messageId: 'm-1', deed: 'moved' };

/** A schedule whose function prints these lines, a look each, then nothing for ever. */
async function scheduleOf(looks: readonly (object | 'fails')[]) {
  const folder = await mkdtemp(join(tmpdir(), 'layover-schedule-'));
  const bundleFile = join(folder, 'schedule.mjs');
  await writeFile(
    bundleFile,
    `const looks = ${JSON.stringify(looks)};
     let seen = 0;
     export const handler = async () => {
       const look = looks[seen++];
       if (look === 'fails') throw new Error('no broker');
       if (look !== undefined) console.log(JSON.stringify(look));
       console.log('look ' + seen);
     };`,
  );
  const printed: string[] = [];
  const troubles: string[] = [];
  const schedule = new ReplaySchedule({
    bundleFile,
    env: {},
    everyMs: 10,
    onTrouble: (text) => troubles.push(text),
    onOutput: (line) => printed.push(line),
  });
  onTestFinished(async () => {
    await schedule.stop();
    await rm(folder, { recursive: true, force: true });
  });
  schedule.start();
  return { schedule, printed, troubles };
}

const never = new AbortController().signal;

describe('the schedule of a local run', () => {
  it('is calm when nothing was moved and nothing waits for time alone', async () => {
    const { schedule, printed } = await scheduleOf([SKIPPED, SKIPPED, MOVED]);
    await expect(schedule.calm(never)).resolves.toBe(true);
    expect(printed).toContain('orders m-1 replayed');
    expect(printed).toContain('look 5');
    expect([...schedule.book.movedOf('orders')]).toEqual(['m-1']);
    await expect(schedule.calm(never)).resolves.toBe(false);
  }, 20_000);

  it('does not wait for what only a person could let through', async () => {
    const { schedule } = await scheduleOf(new Array(50).fill({ ...SKIPPED, guard: 'kill-switch' }));
    await expect(schedule.calm(never)).resolves.toBe(false);
  }, 20_000);

  it('says that looks fail, and is waited for no longer when they go on failing', async () => {
    const { schedule, troubles } = await scheduleOf(new Array(50).fill('fails'));
    await expect(schedule.calm(never)).resolves.toBe(false);
    expect(troubles[0]).toContain('no broker');
  }, 20_000);

  it('does not look while something else is done', async () => {
    const { schedule, printed } = await scheduleOf([]);
    await schedule.calm(never);
    const during = await schedule.between(async () => {
      const before = printed.length;
      expect(schedule.looking).toBe(false);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return printed.length - before;
    }, never);
    expect(during).toBe(0);
    await expect(schedule.calm(never)).resolves.toBe(false);
  }, 20_000);
});
