import { describe, expect, it } from 'vitest';
import type { EnvironmentInput } from '../../infra/environment-types.ts';
import { ENVIRONMENT_NAMES } from '../../infra/environment-types.ts';
import { environments } from '../../infra/environments.ts';
import { actionExists, unknownActions } from './iam-actions.ts';
import { givenInput, newInput } from './inputs.ts';
import { nagFindings } from './nag-findings.ts';
import { specProblems } from './spec-check.ts';
import { synthesise } from './stacks.ts';

const inputs: readonly [string, EnvironmentInput][] = [
  ...ENVIRONMENT_NAMES.map((name): [string, EnvironmentInput] => {
    const { name: _name, ...input } = environments[name];
    return [name, input];
  }),
  ['a given broker', givenInput],
  ['given users, definitions by the owner', definitionsInput()],
];

describe.each(inputs)('%s', (_name, input) => {
  const synth = synthesise(input, { nag: true });

  it('has no finding of cdk-nag that is not answered with a reason', () => {
    const { open, answers } = nagFindings(synth);
    expect(open).toEqual([]);
    for (const { reason } of answers) expect(reason.split(' ').length).toBeGreaterThan(5);
  });

  it('fits the CloudFormation resource specification', () => {
    expect(specProblems(synth.resources)).toEqual([]);
  });

  it('uses only IAM actions that exist', () => {
    expect(unknownActions(synth.resources)).toEqual([]);
  });
});

describe('the checks themselves', () => {
  it('notice a property that does not exist, a wrong type, and one that is missing', () => {
    expect(
      specProblems({
        A: {
          Type: 'AWS::AmazonMQ::Broker',
          Properties: {
            BrokerName: 'b',
            DeploymentMode: 'SINGLE_INSTANCE',
            EngineType: 'RABBITMQ',
            HostInstanceType: 'mq.m7g.large',
            PubliclyAccessible: 'no',
            Colour: 'red',
            Users: [{ Name: 'x' }],
          },
        },
        B: { Type: 'AWS::Lambda::EventSourceMapping', Properties: { Queues: 'orders' } },
        C: { Type: 'AWS::AmazonMQ::Brokers' },
      }),
    ).toEqual([
      'A (AWS::AmazonMQ::Broker).PubliclyAccessible: "no" is no boolean',
      'A (AWS::AmazonMQ::Broker).Colour: unknown property',
      'A (AWS::AmazonMQ::Broker).Users[0].Name: unknown property',
      'A (AWS::AmazonMQ::Broker).Users[0].Username: missing',
      'A (AWS::AmazonMQ::Broker).Users[0].Password: missing',
      'B (AWS::Lambda::EventSourceMapping).Queues: "orders" is no list',
      'B (AWS::Lambda::EventSourceMapping).FunctionName: missing',
      'C: there is no resource type AWS::AmazonMQ::Brokers',
    ]);
  });

  it('fail the synth on a finding of cdk-nag that nobody answered', () => {
    expect(() => synthesise(newInput, { nag: true, break: true })).toThrow('AwsSolutions-SQS4');
  });

  it('know an action that exists from one that does not', () => {
    expect(actionExists('mq:DescribeBroker')).toBe(true);
    expect(actionExists('kms:GenerateDataKey*')).toBe(true);
    expect(actionExists('mq:DescribeBrokers')).toBe(false);
    expect(actionExists('rabbitmq:DescribeBroker')).toBe(false);
  });
});

function definitionsInput(): EnvironmentInput {
  const arn = (name: string) =>
    `arn:aws:secretsmanager:eu-central-1:111122223333:secret:${name}-AbCdEf`;
  return {
    ...givenInput,
    topology: 'definitions',
    users: {
      kind: 'given',
      probeSecretArn: arn('probe'),
      replaySecretArn: arn('replay'),
      flowSecretArns: { orders: arn('orders'), mails: arn('mails') },
    },
  };
}
