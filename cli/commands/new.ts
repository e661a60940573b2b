import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { UsageError } from '../exit.ts';
import { printJson } from '../output.ts';
import { flowFiles } from '../templates.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export function newCommand(): Command {
  return new Command('new')
    .description('scaffold a flow: its policy, its handler and a test')
    .argument('<flow>', 'name of the flow: lower case, digits and dashes')
    .option('--root <folder>', 'the project the files are written to', ROOT)
    .option('--json', 'one line of JSON')
    .action(run);
}

async function run(name: string, options: { root: string; json?: true }): Promise<void> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40) {
    throw new UsageError(
      `'${name}' is no name for a flow; use up to 40 lower-case letters, digits and single dashes, such as 'order-refunds'.`,
    );
  }
  const folder = join(options.root, 'functions', 'flows', name);
  if (existsSync(folder)) {
    throw new UsageError(`functions/flows/${name} exists already; choose another name.`);
  }
  const files = Object.entries(flowFiles(name)).map(([path, text]) => ({
    path: join(options.root, path),
    text,
  }));
  for (const { path, text } of files) {
    await mkdir(dirname(path), { recursive: true });
    // Never over somebody's work: a test of that name may exist without its flow.
    await writeFile(path, text, { flag: 'wx' });
  }
  const written = files.map(({ path }) => relative(options.root, path));
  if (options.json) return printJson({ flow: name, files: written });
  console.log(`${written.map((path) => `  wrote ${path}`).join('\n')}

Next:
  npm run -s layover -- explain ${name}      what happens to a failed message
  npx vitest run --project unit ${name}      its test
  npm start -- --flow ${name} --keep         a broker with its queues, to send messages to`);
}
