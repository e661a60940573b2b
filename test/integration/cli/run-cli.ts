import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CLI = join(ROOT, 'cli', 'layover.ts');

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** Undefined: the variable is not set. */
  readonly amqpUrl: string | undefined;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** `layover …` in a process of its own, as a person runs it. */
export function runCli(argv: readonly string[], options: CliOptions): Promise<Ran> {
  const { AMQP_URL: _given, LAYOVER_TABLE: _table, ...rest } = process.env;
  const broker = options.amqpUrl === undefined ? {} : { AMQP_URL: options.amqpUrl };
  const child = spawn(process.execPath, [CLI, ...argv], {
    cwd: ROOT,
    env: { ...rest, ...broker, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** The lines of stdout, each a JSON value. */
export function jsonLines({ stdout }: Ran): unknown[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** A file that is removed when the test ends. */
export async function tempFile(name: string, content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'layover-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

/** An order that the example flow charges. */
export const ORDER = JSON.stringify({
  orderId: 'o-1',
  customer: { id: 'c-1', country: 'SE' },
  lines: [{ sku: 'sku-1', quantity: 1 }],
  amountCents: 1_250,
  currency: 'SEK',
});
