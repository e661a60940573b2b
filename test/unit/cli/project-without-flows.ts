import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tempFolder } from './run-layover.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** This project without its flows, where a new one disturbs nobody: the engine's folders are links. */
export async function projectWithoutFlows(): Promise<string> {
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
