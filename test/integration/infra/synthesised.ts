import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { composeApp } from '../../../infra/compose-app.ts';
import { environments } from '../../../infra/environments.ts';

export interface SynthesisedApp {
  /** Folder of the code CloudFormation would be given, by function name. */
  readonly folder: (functionName: string) => string;
  /** Properties of the topology custom resource. */
  readonly topology: Readonly<Record<string, unknown>>;
  readonly remove: () => Promise<void>;
}

interface Template {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly Properties: Readonly<Record<string, unknown>>;
        readonly Metadata?: Readonly<Record<string, string>>;
      }
    >
  >;
}

/** Synthesises prod as `cdk synth` does, and finds the assets in its output. */
export async function synthesiseProd(): Promise<SynthesisedApp> {
  const outdir = mkdtempSync(join(tmpdir(), 'layover-assets-'));
  const { context } = JSON.parse(
    readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'),
  ) as { context: Record<string, unknown> };
  // As the CLI does: without it the template doesn't say which asset a function is made of.
  const app = new App({
    outdir,
    analyticsReporting: false,
    context: { ...context, 'aws:cdk:enable-asset-metadata': true },
  });
  await composeApp(app, environments.prod);
  app.synth();
  const template = JSON.parse(
    readFileSync(join(outdir, 'layover-prod.template.json'), 'utf8'),
  ) as Template;
  const resources = Object.values(template.Resources);
  const topology = resources.find(({ Type }) => Type === 'Custom::LayoverTopology');
  return {
    folder: (functionName) => {
      const found = resources.find(({ Properties }) => Properties.FunctionName === functionName);
      const asset = found?.Metadata?.['aws:asset:path'];
      if (asset === undefined) throw new Error(`No asset was found for ${functionName}.`);
      return join(outdir, asset);
    },
    topology: topology?.Properties ?? {},
    remove: () => rm(outdir, { recursive: true, force: true }),
  };
}
