import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REPLAY_PARTS } from './replay-parts.ts';

const LAMBDAS = fileURLToPath(new URL('../functions/replay/lambdas/', import.meta.url));

/**
 * Writes what the bundles of replay start from: a module per function that imports every flow's policy
 * (its `flow.ts`, not its handler) and hands them to the function. Gives the modules by part.
 */
export async function writeReplayEntries(
  flowFiles: readonly string[],
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  await mkdir(folder, { recursive: true });
  const imports = flowFiles.map((file, n) => `import { flow as f${n} } from ${quoted(file)};`);
  const flows = flowFiles.map((_file, n) => `f${n}`).join(', ');
  const entries = REPLAY_PARTS.map(async (part) => {
    const file = join(folder, `${part}.mjs`);
    const lines = [
      ...imports,
      `import { lambda } from ${quoted(join(LAMBDAS, `${part}.ts`))};`,
      `export const handler = lambda([${flows}]);`,
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    return [part, file] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function quoted(path: string): string {
  return JSON.stringify(path);
}
