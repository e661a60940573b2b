import type { BrokerSettings, EnvironmentInput } from '../../infra/environment-types.ts';

/** A valid environment with a network and a broker of its own. */
export const newInput: EnvironmentInput = {
  enabled: true,
  vhost: 'layover',
  network: { kind: 'new', zones: 2, reach: 'endpoints' },
  broker: {
    kind: 'new',
    engine: '4.2',
    instanceType: 'mq.m7g.medium',
    deployment: 'single',
    maintenance: { day: 'SUNDAY', timeUtc: '03:00' },
  },
  topology: 'apply',
  users: { kind: 'made' },
  logRetentionDays: 7,
  removal: 'destroy',
  alarms: { page: ['oncall@example.com'], ticket: ['https://example.com/hook'] },
};

/** A broker that exists. */
export const givenBroker: Extract<BrokerSettings, { kind: 'given' }> = {
  kind: 'given',
  engine: '3.13',
  instanceType: 'mq.m5.large',
  deployment: 'single',
  arn: 'arn:aws:mq:eu-central-1:111122223333:broker:shared:b-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
  host: 'b-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0.mq.eu-central-1.amazonaws.com',
  secretArn: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:rabbit/admin-AbCdEf',
  securityGroupId: 'sg-0123456789abcdef0',
  rules: 'write',
};

/** A valid environment beside it, in its network. */
export const givenInput: EnvironmentInput = {
  ...newInput,
  account: '111122223333',
  region: 'eu-central-1',
  network: {
    kind: 'given',
    vpcId: 'vpc-0123456789abcdef0',
    availabilityZones: ['eu-central-1a', 'eu-central-1b'],
    subnetIds: ['subnet-0aaaaaaaaaaaaaaaa', 'subnet-0bbbbbbbbbbbbbbbb'],
    reach: 'existing',
  },
  broker: givenBroker,
};

/** What every deployment tells, by these names exactly. */
export const OUTPUTS: readonly string[] = [
  'BrokerAdminSecret',
  'BrokerHost',
  'ReplayBodiesPolicyArn',
  'ReplayConfigurePolicyArn',
  'ReplayExports',
  'ReplayRunPolicyArn',
  'ReplayViewPolicyArn',
];
