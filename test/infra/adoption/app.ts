import { fileURLToPath } from 'node:url';
import { type App, Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { addFlows } from '../../../infra/index.ts';
import { flow } from './invoices/flow.ts';

/** An app that was there before: one flow is added to its own broker, in its own stack. */
export async function billingApp(app: App): Promise<Stack> {
  const stack = new Stack(app, 'billing', {
    env: { account: '111122223333', region: 'eu-central-1' },
  });
  new Bucket(stack, 'Invoices');
  await addFlows(stack, {
    env: 'prod',
    flows: [{ flow, handlerFile: fileURLToPath(import.meta.resolve('./invoices/handler.ts')) }],
    network: {
      kind: 'given',
      reach: 'existing',
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZones: ['eu-central-1a'],
      subnetIds: ['subnet-0aaaaaaaaaaaaaaaa'],
    },
    broker: {
      kind: 'given',
      engine: '3.13',
      instanceType: 'mq.m5.large',
      deployment: 'cluster',
      arn: 'arn:aws:mq:eu-central-1:111122223333:broker:billing:b-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
      host: 'b-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0.mq.eu-central-1.amazonaws.com',
      secretArn: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:rabbit/admin-AbCdEf',
      securityGroupId: 'sg-0123456789abcdef0',
      rules: 'print',
    },
  });
  return stack;
}
