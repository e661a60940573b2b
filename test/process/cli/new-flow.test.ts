import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { projectWithoutFlows } from '../../unit/cli/project-without-flows.ts';
import { runLayover } from '../../unit/cli/run-layover.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A tool of this project, run in another folder; its output is the reason when it fails. */
function passes(root: string, tool: string, ...args: readonly string[]): void {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules', '.bin', tool), args, {
    cwd: root,
    env: Object.fromEntries(outside),
    encoding: 'utf8',
  });
  expect(status, `${tool} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
}

describe('what layover new writes', () => {
  it('writes a flow that passes types and its own test', async () => {
    const root = await projectWithoutFlows();
    await runLayover('new', 'refunds', '--root', root);
    passes(root, 'tsc', '-p', '.');
    passes(root, 'vitest', 'run', '--root', root, 'test/unit/flows/refunds.test.ts');
  }, 60_000);

  it.each([
    ['short', 'x'],
    ['as long as it may be', 'a-flow-whose-name-is-as-long-as-possible'],
  ])('writes files that are linted and formatted, also when the name is %s', async (_, name) => {
    const root = await projectWithoutFlows();
    await runLayover('new', name, '--root', root);
    passes(root, 'biome', 'check', '--vcs-enabled=false', 'functions/flows', 'test');
  });
});
