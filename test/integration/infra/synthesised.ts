import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

export interface SynthesisedApp {
  /** Folder of the code CloudFormation would be given, by function name. */
  readonly folder: (functionName: string) => string;
  /** Properties of the topology custom resource. */
  readonly topology: Readonly<Record<string, unknown>>;
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

/** prod as `cdk synth` makes it, once for all files of the run, and the assets in its output. */
export async function synthesiseProd(): Promise<SynthesisedApp> {
  const outdir = join(inject('synthesisFolder'), 'prod');
  const templateFile = join(outdir, 'layover-prod.template.json');
  if (!existsSync(templateFile)) await synthesise(outdir);
  const template = JSON.parse(readFileSync(templateFile, 'utf8')) as Template;
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
  };
}

async function synthesise(outdir: string): Promise<void> {
  // The CDK takes seconds to import: only the file that needs it waits for it.
  const [{ App }, { composeApp }, { environments }] = await Promise.all([
    import('aws-cdk-lib'),
    import('../../../infra/compose-app.ts'),
    import('../../../infra/environments.ts'),
  ]);
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
}
