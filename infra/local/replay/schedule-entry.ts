import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FUNCTION = fileURLToPath(new URL('./schedule-function.ts', import.meta.url));

/** Writes the module the schedule's bundle starts from: every flow's policy, and the function. */
export async function writeScheduleEntry(
  flowFiles: readonly string[],
  folder: string,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'schedule-entry.mjs');
  const lines = [
    ...flowFiles.map((path, n) => `import { flow as f${n} } from ${JSON.stringify(path)};`),
    `import { lambda } from ${JSON.stringify(FUNCTION)};`,
    `export const handler = lambda([${flowFiles.map((_path, n) => `f${n}`).join(', ')}]);`,
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return file;
}
