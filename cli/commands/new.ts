import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { UsageError } from '../exit.ts';
import { print, printJson } from '../output.ts';
import { flowFiles } from '../templates.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Queue names are made of it, with a suffix of up to some 30 bytes. */
const MAX_NAME_LENGTH = 40;

const HELP = `
Example:
  npm run -s layover -- new order-refunds`;

export function newCommand(): Command {
  return new Command('new')
    .description('scaffold a flow: its policy, its handler and a test')
    .argument('<flow>', 'name of the flow: lower case, digits and dashes')
    .option('--root <folder>', 'the project the files are written to', ROOT)
    .option('--json', 'one line of JSON')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(name: string, options: { root: string; json?: true }): Promise<void> {
  checkName(name);
  const files = Object.entries(flowFiles(name));
  // Never over somebody's work, and nothing half written: a test may exist without its flow.
  for (const path of [`functions/flows/${name}`, ...files.map(([path]) => path)]) {
    if (!existsSync(join(options.root, path))) continue;
    throw new UsageError(`${path} exists already; choose another name, or remove it.`);
  }
  for (const [path, text] of files) {
    const file = join(options.root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
  const written = files.map(([path]) => path);
  if (options.json) return printJson({ flow: name, files: written });
  print(`${written.map((path) => `  wrote ${path}`).join('\n')}\n\n${nextSteps(name)}`);
}

function checkName(name: string): void {
  const wellFormed = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name);
  if (wellFormed && name.length <= MAX_NAME_LENGTH) return;
  throw new UsageError(
    `'${name}' is no name for a flow; use up to ${MAX_NAME_LENGTH} lower-case letters, digits and single dashes, such as 'order-refunds'.`,
  );
}

function nextSteps(name: string): string {
  const example = `functions/flows/${name}/example.json`;
  const steps = [
    ['what happens to a failed message', `npm run -s layover -- explain ${name}`],
    ['its test', `npx vitest run --project unit ${name}`],
    ['the handler on one message', `npm run -s layover -- invoke ${name} --body ${example}`],
    ['a broker and the function, to stay up', `npm start -- --flow ${name} --keep`],
    ['a message to it, from another terminal', `npm run -s layover -- send ${name} ${example}`],
  ];
  return ['Next:', ...steps.map(([what, command]) => `  ${what}:\n    ${command}`)].join('\n');
}
