import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Exporter } from '../ports.ts';
import { exportLines } from './export-lines.ts';

/** Keeps exports as files `<folder>/<run>/<part>.jsonl.gz`: for runs on this machine. */
export function createFileExporter(folder: string): Exporter {
  return {
    async keep(run, part, messages) {
      const { content, sha256 } = await exportLines(messages);
      const to = join(folder, run, `${part}.jsonl.gz`);
      await mkdir(join(folder, run), { recursive: true });
      // Under its name only when it is whole.
      await writeFile(`${to}.part`, content, { flush: true });
      await rename(`${to}.part`, to);
      return { to, sha256 };
    },
  };
}
