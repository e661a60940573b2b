import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BundleError, bundleHandlers } from '../../../infra/bundle.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'layover-bundle-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function bundle(name: string, source: string, sourcemap = false) {
  const file = join(folder, `${name}.ts`);
  await writeFile(file, source);
  const outDir = join(folder, 'out');
  const [made] = await bundleHandlers({ handlers: { [name]: file }, outDir, sourcemap });
  if (made === undefined) throw new Error('nothing was bundled');
  return made;
}

const load = (file: string) => import(pathToFileURL(file).href);

describe('bundleHandlers', () => {
  it('writes an ES module that exports the handler', async () => {
    const made = await bundle('plain', 'export const handler = async (n: number) => n + 1;');
    expect(made.file).toBe(join(folder, 'out', 'plain.mjs'));
    expect(await (await load(made.file)).handler(1)).toBe(2);
  });

  it('states the size of what it wrote', async () => {
    const made = await bundle('size', 'export const handler = async () => "å";');
    expect(made.bytes).toBe((await stat(made.file)).size);
  });

  it('keeps the names of functions and classes, which signatures are made of', async () => {
    const made = await bundle(
      'names',
      `class PaymentRefused extends Error {}
       function takeMoney() { throw new PaymentRefused('no'); }
       export const handler = () => takeMoney();`,
    );
    const { handler } = await load(made.file);
    let thrown: unknown;
    try {
      handler();
    } catch (error) {
      thrown = error;
    }
    expect((thrown as Error).constructor.name).toBe('PaymentRefused');
    expect((thrown as Error).stack).toContain('takeMoney');
  });

  it('lets a CommonJS dependency require what Node has built in', async () => {
    await writeFile(
      join(folder, 'legacy.cjs'),
      'const os = require("os"); exports.eol = os.EOL; exports.dir = typeof __dirname;',
    );
    const made = await bundle(
      'commonjs',
      `import legacy from './legacy.cjs';
       export const handler = () => [legacy.eol, legacy.dir];`,
    );
    expect((await load(made.file)).handler()).toEqual(['\n', 'string']);
  });

  it('does not get in the way of a module that makes its own require', async () => {
    const made = await bundle(
      'require',
      `import { createRequire } from 'node:module';
       const require = createRequire(import.meta.url);
       export const handler = () => typeof require('node:fs').readFileSync;`,
    );
    expect((await load(made.file)).handler()).toBe('function');
  });

  it('writes a source map only when asked to', async () => {
    const source = 'export const handler = () => 1;';
    const without = await bundle('nomap', source);
    const withMap = await bundle('withmap', source, true);
    expect(existsSync(`${without.file}.map`)).toBe(false);
    expect(existsSync(`${withMap.file}.map`)).toBe(true);
    expect(withMap.bytes).toBe((await stat(withMap.file)).size);
  });

  it('names file, line and reason of what it could not bundle', async () => {
    const failed = bundle('bad', '\nimport { x } from "./nowhere.ts";\nexport const handler = x;');
    await expect(failed).rejects.toThrow(BundleError);
    await expect(failed).rejects.toThrow(/bad\.ts:2: Could not resolve ".\/nowhere.ts"/);
  });

  it('has nothing to do without handlers', async () => {
    expect(await bundleHandlers({ handlers: {}, outDir: join(folder, 'none') })).toEqual([]);
  });
});
