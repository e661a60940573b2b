import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { discoverFlows } from '../../../infra/discover-flows.ts';
import { runLayover, tempFolder } from './run-layover.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** This project without its flows, where a new one disturbs nobody: the engine's folders are links. */
async function projectWithoutFlows(): Promise<string> {
  const root = await tempFolder();
  await mkdir(join(root, 'functions', 'flows'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'functions'))) {
    if (name === 'flows') continue;
    await symlink(join(ROOT, 'functions', name), join(root, 'functions', name));
  }
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await cp(join(ROOT, 'biome.json'), join(root, 'biome.json'));
  await cp(join(ROOT, 'package.json'), join(root, 'package.json'));
  const tsconfig = { extends: join(ROOT, 'tsconfig.json'), include: ['functions/flows', 'test'] };
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(tsconfig));
  return root;
}

/** A tool of this project, run in another folder; its output is the reason when it fails. */
function passes(root: string, tool: string, ...args: readonly string[]): void {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules', '.bin', tool), args, {
    cwd: root,
    env: Object.fromEntries(outside),
    encoding: 'utf8',
  });
  expect(status, `${tool} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
}

const newFlow = (root: string, name: string, ...options: readonly string[]) =>
  runLayover('new', name, '--root', root, ...options);

describe('layover new', () => {
  it('writes a flow that is found, and passes types and its own test', async () => {
    const root = await projectWithoutFlows();
    expect(await newFlow(root, 'refunds')).toMatchObject({ code: 0, stderr: '' });
    const [found] = await discoverFlows(join(root, 'functions', 'flows'));
    expect(found?.flow).toMatchObject({ name: 'refunds', queue: 'refunds' });
    passes(root, 'tsc', '-p', '.');
    passes(root, 'vitest', 'run', '--root', root, 'test/unit/flows/refunds.test.ts');
  }, 60_000);

  it.each([
    ['short', 'x'],
    ['as long as it may be', 'a-flow-whose-name-is-as-long-as-possible'],
  ])('writes files that are linted and formatted, also when the name is %s', async (_, name) => {
    const root = await projectWithoutFlows();
    await newFlow(root, name);
    passes(root, 'biome', 'check', '--vcs-enabled=false', 'functions/flows', 'test');
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
