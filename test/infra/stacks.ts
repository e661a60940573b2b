import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { defineFlow } from '../../functions/policy/define-flow.ts';
import type { Flow } from '../../functions/policy/types.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { defineEnvironment } from '../../infra/environment-rules.ts';
import type { EnvironmentInput, EnvironmentName } from '../../infra/environment-types.ts';
import { LayoverStack } from '../../infra/layover-stack.ts';

/** Two flows as a team would write them: one that pages, one that doesn't. */
export const orders = defineFlow({
  name: 'orders',
  bindings: [{ exchange: 'shop', type: 'topic', routingKey: 'order.placed' }],
  owner: 'team-checkout',
  runbook: 'https://example.com/runbooks/orders',
  impact: 'Customers are not charged.',
  critical: true,
});
export const mails = defineFlow({
  name: 'mails',
  queue: 'crm.mails',
  owner: 'team-crm',
  runbook: 'https://example.com/runbooks/mails',
  impact: 'Customers hear late.',
  schedule: { delays: ['1m'] },
  batch: { size: 10, window: '5s' },
});
export const FLOWS: readonly Flow[] = [orders, mails] as readonly Flow[];

const { context } = JSON.parse(
  readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8'),
) as { context: Record<string, unknown> };

/** Patience for a file's first synth, which loads the whole of the CDK. */
export const FIRST_SYNTH_MS = 60_000;

export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
}

export interface Synthesised {
  readonly stack: LayoverStack;
  readonly template: Template;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<Record<string, { Value: unknown }>>;
  readonly outdir: string;
}

export interface SynthOptions {
  readonly flows?: readonly Flow[];
  readonly name?: EnvironmentName;
  /** Runs cdk-nag as well; its findings are in the output folder. */
  readonly nag?: boolean;
  /** Adds a resource that cdk-nag finds fault with. */
  readonly break?: boolean;
}

/** What was synthesised of `FLOWS` before, by everything else it depends on; the files of a worker share it. */
const synthesised = new Map<string, Synthesised>();

/**
 * Synthesises an environment in this process; functions are a file that does nothing. The same input
 * gives the same object again: look, don't change. CDK's own checks of the template run with cdk-nag only.
 */
export function synthesise(input: EnvironmentInput, options: SynthOptions = {}): Synthesised {
  const { flows, ...others } = options;
  if (flows !== undefined) return synthesiseAnew(input, options);
  const key = JSON.stringify([input, others]);
  const known = synthesised.get(key) ?? synthesiseAnew(input, options);
  synthesised.set(key, known);
  return known;
}

function synthesiseAnew(input: EnvironmentInput, options: SynthOptions): Synthesised {
  const { flows = FLOWS, name = 'dev', nag = false } = options;
  const outdir = mkdtempSync(join(tmpdir(), 'layover-synth-'));
  const app = new App({
    context: { ...context, 'aws:cdk:disable-stack-trace': true },
    outdir,
    analyticsReporting: false,
    treeMetadata: false,
    builtinCloudFormationValidation: nag,
  });
  const environment = defineEnvironment(name, input);
  const { account, region } = environment;
  const stack = new LayoverStack(app, `layover-${name}`, {
    environment,
    flows,
    topology: buildTopology(flows),
    bundles: emptyBundles(flows),
    ...(account && region ? { env: { account, region } } : {}),
  });
  if (options.break) new Queue(stack, 'Broken');
  if (nag) Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const template = nag ? undefined : Template.fromStack(stack);
  if (nag) app.synth();
  const json = JSON.parse(readFileSync(join(outdir, `layover-${name}.template.json`), 'utf8')) as {
    Resources: Record<string, Resource>;
    Outputs?: Record<string, { Value: unknown }>;
  };
  return {
    stack,
    template: template ?? Template.fromJSON(json),
    resources: json.Resources,
    outputs: json.Outputs ?? {},
    outdir,
  };
}

/** Resources of a type, by logical id. */
export function ofType({ resources }: Synthesised, type: string): [string, Resource][] {
  return Object.entries(resources).filter(([, resource]) => resource.Type === type);
}

function emptyBundles(flows: readonly Flow[]) {
  const folder = join(mkdtempSync(join(tmpdir(), 'layover-bundle-')), 'function');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.mjs'), 'export const handler = async () => undefined;\n');
  return {
    topology: folder,
    probe: folder,
    teardown: folder,
    replay: { schedule: folder, view: folder, bodies: folder, run: folder, configure: folder },
    flows: Object.fromEntries(flows.map(({ name }) => [name, folder])),
  };
}
