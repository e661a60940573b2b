import { defineEnvironment } from '../../infra/environment-rules.ts';

/** The environment that docs/deploy.md shows, word for word: beside a broker, a network and users there are. */
export const environments = {
  prod: defineEnvironment('prod', {
    account: '111122223333',
    region: 'eu-central-1',
    enabled: false, // the first step of a cut-over
    vhost: 'shop',
    network: {
      kind: 'given',
      reach: 'existing',
      vpcId: 'vpc-0a1b2c3d4e5f60718',
      availabilityZones: ['eu-central-1a', 'eu-central-1b', 'eu-central-1c'],
      subnetIds: [
        'subnet-0aaaaaaaaaaaaaaaa',
        'subnet-0bbbbbbbbbbbbbbbb',
        'subnet-0cccccccccccccccc',
      ],
    },
    broker: {
      kind: 'given',
      engine: '3.13',
      instanceType: 'mq.m5.large',
      deployment: 'cluster',
      otherQueues: 40, // queues of others, towards its quota
      arn: 'arn:aws:mq:eu-central-1:111122223333:broker:shared:b-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0',
      host: 'b-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0.mq.eu-central-1.amazonaws.com',
      secretArn: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:rabbit/admin-AbCdEf',
      securityGroupId: 'sg-0123456789abcdef0',
      rules: 'print', // or 'write', when its group is yours to change
    },
    topology: 'apply',
    users: {
      kind: 'given',
      probeSecretArn: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:rabbit/probe-AbCdEf',
      replaySecretArn:
        'arn:aws:secretsmanager:eu-central-1:111122223333:secret:rabbit/replay-AbCdEf',
      replayViewSecretArn:
        'arn:aws:secretsmanager:eu-central-1:111122223333:secret:rabbit/look-AbCdEf',
      // One for each folder in functions/flows.
      flowSecretArns: {
        orders: 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:rabbit/orders-AbCdEf',
        notifications:
          'arn:aws:secretsmanager:eu-central-1:111122223333:secret:rabbit/notifications-AbCdEf',
      },
    },
    logRetentionDays: 90,
    removal: 'retain',
    alarms: { page: ['oncall@example.com'], ticket: ['team@example.com'] },
  }),
};
