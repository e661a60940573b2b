import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverFlows } from '../../../infra/discover-flows.ts';
import { projectWithoutFlows } from './project-without-flows.ts';
import { runLayover } from './run-layover.ts';

const newFlow = (root: string, name: string, ...options: readonly string[]) =>
  runLayover('new', name, '--root', root, ...options);

describe('layover new', () => {
  it('writes a flow that is found', async () => {
    const root = await projectWithoutFlows();
    expect(await newFlow(root, 'refunds')).toMatchObject({ code: 0, stderr: '' });
    const [found] = await discoverFlows(join(root, 'functions', 'flows'));
    expect(found?.flow).toMatchObject({ name: 'refunds', queue: 'refunds' });
  });

  it('says what it wrote and what to do next', async () => {
    const root = await projectWithoutFlows();
    const { stdout } = await newFlow(root, 'refunds');
    expect(stdout).toContain('wrote functions/flows/refunds/handler.ts');
    for (const command of ['explain', 'invoke', 'send']) {
      expect(stdout).toContain(`npm run -s layover -- ${command} refunds`);
    }
    expect(stdout).toContain('npm start -- --flow refunds --keep');
  });

  it('--json lists the files, from the root of the project', async () => {
    const root = await projectWithoutFlows();
    const { stdout } = await newFlow(root, 'refunds', '--json');
    const { flow, files } = JSON.parse(stdout) as { flow: string; files: string[] };
    expect(flow).toBe('refunds');
    expect(files).toContain('test/unit/flows/refunds.test.ts');
    for (const file of files) expect(existsSync(join(root, file)), file).toBe(true);
  });

  it.each([
    'Refunds',
    'order_refunds',
    'order--refunds',
    '-refunds',
    'refunds-',
    '1st',
    '../evil',
    'a.b',
    '',
    'a'.repeat(41),
  ])('refuses %j as a name, and writes nothing', async (name) => {
    const root = await projectWithoutFlows();
    const { code, stderr } = await runLayover('new', '--root', root, '--', name);
    expect(code).toBe(2);
    expect(stderr).toContain(`'${name}' is no name for a flow`);
    expect(await readdir(join(root, 'functions', 'flows'))).toEqual([]);
  });

  it('refuses a name that is taken', async () => {
    const root = await projectWithoutFlows();
    await newFlow(root, 'refunds');
    const { code, stderr } = await newFlow(root, 'refunds');
    expect(code).toBe(2);
    expect(stderr).toContain('functions/flows/refunds exists already; choose another name');
  });

  it('leaves a test that is there without its flow alone, and writes nothing', async () => {
    const root = await projectWithoutFlows();
    const test = join(root, 'test', 'unit', 'flows', 'refunds.test.ts');
    await mkdir(join(test, '..'), { recursive: true });
    await writeFile(test, "somebody's");
    const { code, stderr } = await newFlow(root, 'refunds');
    expect(code).toBe(2);
    expect(stderr).toContain('test/unit/flows/refunds.test.ts exists already');
    expect(await readFile(test, 'utf8')).toBe("somebody's");
    expect(await readdir(join(root, 'functions', 'flows'))).toEqual([]);
  });
});
