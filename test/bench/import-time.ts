import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { bundleHandlers } from '../../infra/bundle.ts';
import { median } from './child.ts';
import { round2 } from './settle.ts';

const RUNS = 15;

export interface ImportResult {
  readonly vsBare: number;
  readonly flowMs: number;
  readonly bareMs: number;
  readonly flowKiB: number;
  readonly bareKiB: number;
}

/** Importing a flow's bundle against importing amqplib and the Secrets Manager client alone. */
export async function benchImport(): Promise<ImportResult> {
  const outDir = await mkdtemp(join(tmpdir(), 'layover-bench-'));
  try {
    const [flow, bare] = await bundleHandlers({
      outDir,
      handlers: {
        flow: fileURLToPath(new URL('../../functions/flows/orders/handler.ts', import.meta.url)),
        bare: fileURLToPath(new URL('./bare-peer.ts', import.meta.url)),
      },
    });
    if (!flow || !bare) throw new Error('a bundle is missing');
    const pairs: { flow: number; bare: number }[] = [];
    // The first pair fills the disk cache.
    for (let run = 0; run <= RUNS; run++) {
      const pair = { bare: await importMs(bare.file), flow: await importMs(flow.file) };
      if (run > 0) pairs.push(pair);
    }
    return {
      vsBare: round2(median(pairs.map((pair) => pair.flow / pair.bare))),
      flowMs: Math.round(median(pairs.map((pair) => pair.flow))),
      bareMs: Math.round(median(pairs.map((pair) => pair.bare))),
      flowKiB: Math.round(flow.bytes / 1024),
      bareKiB: Math.round(bare.bytes / 1024),
    };
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

const run = promisify(execFile);

async function importMs(file: string): Promise<number> {
  const script = `const t = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)}); console.log(performance.now() - t); process.exit(0);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return Number(stdout);
}
