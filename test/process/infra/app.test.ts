import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { composeApp } from '../../../infra/compose-app.ts';
import { environments } from '../../../infra/environments.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CDK = join(ROOT, 'node_modules/aws-cdk/bin/cdk');
const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as {
  context: Record<string, unknown>;
};

/** The machine's own Node.js, not the one that npm puts first, where there is one. */
function plainNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const own = folders.filter((folder) => !folder.includes('node_modules'));
  return own.map((folder) => join(folder, 'node')).find(existsSync) ?? process.execPath;
}

/** No credentials, no instance metadata, and a proxy that lets nothing out. */
const OFFLINE = {
  PATH: process.env.PATH ?? '',
  HOME: mkdtempSync(join(tmpdir(), 'layover-home-')),
  AWS_EC2_METADATA_DISABLED: 'true',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
};

/** What CloudFormation takes. */
const TEMPLATE_BYTES = 1_000_000;

const outFolder = () => mkdtempSync(join(tmpdir(), 'layover-app-'));

interface Ended {
  readonly status: unknown;
  readonly stderr: string;
}

/** Runs a program of the repository; resolves when it has ended, however it did. */
function run(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  return new Promise<Ended>((resolve) => {
    const options = { cwd: ROOT, env, timeout: 110_000 };
    execFile(file, [...args], options, (error, _stdout, stderr) =>
      resolve({ status: error === null ? 0 : (error.code ?? error.signal), stderr: stderr.trim() }),
    );
  });
}

// Both are started at once and run beside the tests of this process.
const prodFolder = outFolder();
const prod = run(plainNode(), [CDK, 'synth', '-c', 'env=prod', '-q', '-o', prodFolder], OFFLINE);
const refusedFolder = outFolder();
const refused = (root: string, env: string) =>
  run(process.execPath, [join(root, 'infra/app.ts')], {
    ...OFFLINE,
    CDK_OUTDIR: refusedFolder,
    CDK_CONTEXT_JSON: JSON.stringify({ env }),
  });
const unknown = refused(ROOT, 'qa');
const undeployable = refused(rootWithDefinitionsAlone(), 'dev');

/** This repository with one change of `environments.ts`: dev's topology is left to somebody else. */
function rootWithDefinitionsAlone(): string {
  const root = mkdtempSync(join(tmpdir(), 'layover-root-'));
  for (const name of ['infra', 'package.json']) {
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  }
  for (const name of ['functions', 'node_modules']) symlinkSync(join(ROOT, name), join(root, name));
  const file = join(root, 'infra/environments.ts');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace("topology: 'apply'", "topology: 'definitions'"));
  return root;
}

describe('the app with the flows of this repository', () => {
  // CDK's own checks, seconds to load, have seen prod in `cdk synth` below and each environment in checks.test.ts.
  async function templateOf(name: 'dev' | 'staging') {
    const outdir = outFolder();
    const options = { outdir, context, builtinCloudFormationValidation: false };
    const app = new App({ ...options, analyticsReporting: false });
    const stack = await composeApp(app, environments[name]);
    app.synth();
    return { stack, text: readFileSync(join(outdir, `layover-${name}.template.json`), 'utf8') };
  }

  it('is synthesised for dev, the same twice, so that nothing is deployed that did not change', async () => {
    const { stack, text } = await templateOf('dev');
    expect(stack.stackName).toBe('layover-dev');
    expect((await templateOf('dev')).text).toBe(text);
  });

  it('is synthesised for staging', async () => {
    const { stack, text } = await templateOf('staging');
    expect(stack.stackName).toBe('layover-staging');
    expect(stack.terminationProtection ?? false).toBe(false);
    expect(text.length).toBeLessThan(TEMPLATE_BYTES);
  });
});

describe('cdk synth', () => {
  it('works for prod, offline, without credentials, run by whatever Node.js there is', async () => {
    const { status, stderr } = await prod;
    expect(status, stderr).toBe(0);
    // The one thing left to whoever deploys it.
    expect(stderr.match(/WARNING .*/g)).toEqual([
      expect.stringContaining('Nobody is told of alarms in prod'),
    ]);
    const { artifacts } = JSON.parse(readFileSync(join(prodFolder, 'manifest.json'), 'utf8')) as {
      artifacts: Record<string, { properties: unknown }>;
    };
    expect(artifacts['layover-prod']?.properties).toMatchObject({ terminationProtection: true });
    const text = readFileSync(join(prodFolder, 'layover-prod.template.json'), 'utf8');
    expect(text.length).toBeLessThan(TEMPLATE_BYTES);
  });

  it('refuses an environment there is not, in one line and without a stack', async () => {
    expect(await unknown).toEqual({
      status: 1,
      stderr:
        'EnvironmentError: env: "qa" is unknown. Name one with -c env=<name>: dev, staging, prod.',
    });
  });

  it('refuses an environment that cannot be deployed alike', async () => {
    const { status, stderr } = await undeployable;
    expect(status).toBe(1);
    expect(stderr).toMatch(/^EnvironmentError: dev\.users\.kind: "made" won't do\. .*$/);
  });

  it('leaves no manifest without stacks behind where it refuses', async () => {
    await Promise.all([unknown, undeployable]);
    expect(readdirSync(refusedFolder)).toEqual([]);
  });
});
