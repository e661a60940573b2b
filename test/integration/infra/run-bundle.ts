import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface BundleRun {
  /** What the handler returned. */
  readonly result?: unknown;
  /** What it threw: the text CloudFormation or Lambda would show. */
  readonly error?: { readonly name: string; readonly message: string };
  /** Lines of JSON it printed, in order. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
}

const MARK = 'layover-test-answer:';

/** Imports `index.mjs` as Lambda would, calls its handler once, and ends. */
const DRIVER = `
const [file, event, remaining] = process.argv.slice(1);
const context = {
  functionName: 'test', functionVersion: '1', awsRequestId: 'request-1',
  getRemainingTimeInMillis: () => Number(remaining),
};
const answer = (value) => new Promise((done) => process.stdout.write('\\n${MARK}' + JSON.stringify(value) + '\\n', done));
try {
  const { handler } = await import(file);
  await answer({ result: await handler(JSON.parse(event), context) });
} catch (error) {
  await answer({ error: { name: error.name, message: error.message } });
}
process.exit(0);
`;

/**
 * Runs a synthesised bundle in a process of its own, with nothing of this repository around it: the
 * working directory is the bundle's folder and the environment is the one given.
 */
export async function runBundle(
  folder: string,
  event: unknown,
  env: Readonly<Record<string, string>>,
  remainingMs = 60_000,
): Promise<BundleRun> {
  const file = pathToFileURL(join(folder, 'index.mjs')).href;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', DRIVER, file, JSON.stringify(event), String(remainingMs)],
    { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env }, timeout: 50_000 },
  );
  let output = '';
  let errors = '';
  child.stdout.on('data', (part) => {
    output += part;
  });
  child.stderr.on('data', (part) => {
    errors += part;
  });
  await once(child, 'close');
  const answer = output.split('\n').find((line) => line.startsWith(MARK));
  if (answer === undefined) throw new Error(`The bundle gave no answer.\n${output}\n${errors}`);
  return {
    ...(JSON.parse(answer.slice(MARK.length)) as Pick<BundleRun, 'result' | 'error'>),
    lines: output.split('\n').flatMap((line) => {
      const start = line.indexOf('{');
      if (start < 0 || line.startsWith(MARK)) return [];
      try {
        return [JSON.parse(line.slice(start)) as Record<string, unknown>];
      } catch {
        return [];
      }
    }),
  };
}
