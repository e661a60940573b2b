import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { addFlows } from '../../infra/index.ts';
import { billingApp } from './adoption/app.ts';
import { flow } from './adoption/invoices/flow.ts';
import { givenInput, OUTPUTS } from './inputs.ts';
import { FIRST_SYNTH_MS } from './stacks.ts';

const outdir = () => mkdtempSync(join(tmpdir(), 'layover-adoption-'));
let template: Template;

beforeAll(async () => {
  template = Template.fromStack(await billingApp(new App({ outdir: outdir() })));
}, FIRST_SYNTH_MS);

describe('an existing CDK app that adds one flow to its own broker', () => {
  it('keeps its own resources, broker and network', () => {
    const buckets = Object.keys(template.findResources('AWS::S3::Bucket'));
    expect(buckets.filter((id) => id.startsWith('Invoices'))).toHaveLength(1);
    template.resourceCountIs('AWS::AmazonMQ::Broker', 0);
    template.resourceCountIs('AWS::EC2::VPC', 0);
    template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  });

  it('gets the flow with both mappings, on the default virtual host', () => {
    for (const [queue, BatchSize] of [
      ['billing.invoices', 100],
      ['billing.invoices.isolated', 1],
    ] as const) {
      template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        Queues: [queue],
        BatchSize,
        SourceAccessConfigurations: [{ Type: 'BASIC_AUTH' }, { Type: 'VIRTUAL_HOST', URI: '/' }],
      });
    }
  });

  it('declares our queues beside theirs, which is only checked', () => {
    const [resource] = Object.values(template.findResources('Custom::LayoverTopology'));
    const { queues } = JSON.parse(resource?.Properties.Model) as {
      queues: { name: string; declare: boolean }[];
    };
    expect(queues.filter(({ declare }) => !declare).map(({ name }) => name)).toEqual([
      'billing.invoices',
    ]);
    expect(queues.map(({ name }) => name)).toContain('billing.invoices.parked');
  });

  it('gets probe, replay and alarms with it', () => {
    for (const part of ['probe', 'replay-schedule', 'replay-view']) {
      const FunctionName = `layover-prod-${part}`;
      template.hasResourceProperties('AWS::Lambda::Function', { FunctionName });
    }
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName: 'layover-prod-invoices-parked-depth',
    });
  });

  it('gets outputs of the same names as a stack of ours', () => {
    expect(Object.keys(template.findOutputs('*'))).toEqual(expect.arrayContaining([...OUTPUTS]));
  });

  it('is refused in a stack that may be deployed anywhere', async () => {
    const stack = new Stack(new App({ outdir: outdir() }), 'anywhere');
    const { network, broker } = givenInput;
    if (network.kind !== 'given' || broker.kind !== 'given') throw new Error('not given');
    await expect(
      addFlows(stack, { env: 'prod', flows: [{ flow, handlerFile: '' }], network, broker }),
    ).rejects.toThrow(/^prod\.account: /);
  });
});
