import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD } from '../../infra/constructs/broker-user.ts';
import { INTERFACE_ENDPOINTS } from '../../infra/constructs/network.ts';
import { environments } from '../../infra/environments.ts';
import { givenBroker, givenInput, newInput } from './inputs.ts';
import { FIRST_SYNTH_MS, FLOWS, ofType, type Synthesised, synthesise } from './stacks.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: unknown;
}

let fresh: Synthesised;
let given: Synthesised;
let prod: Synthesised;

beforeAll(() => {
  fresh = synthesise(newInput);
  given = synthesise(givenInput);
  const { name: _name, ...input } = environments.prod;
  prod = synthesise(input, { name: 'prod' });
}, FIRST_SYNTH_MS);

const list = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

/** Of the policies whose logical id begins so. */
function statements(synth: Synthesised, prefix = ''): Statement[] {
  return [...ofType(synth, 'AWS::IAM::Policy'), ...ofType(synth, 'AWS::IAM::Role')]
    .filter(([id]) => id.startsWith(prefix))
    .flatMap(
      ([, { Properties }]) =>
        (Properties.PolicyDocument as { Statement: Statement[] } | undefined)?.Statement ?? [],
    );
}

describe('the broker', () => {
  it('is private, encrypted and upgraded only inside its window', () => {
    fresh.template.hasResourceProperties('AWS::AmazonMQ::Broker', {
      PubliclyAccessible: false,
      EncryptionOptions: { UseAwsOwnedKey: true },
      AutoMinorVersionUpgrade: true,
      MaintenanceWindowStartTime: { DayOfWeek: 'SUNDAY', TimeOfDay: '03:00', TimeZone: 'UTC' },
    });
  });

  it('is a cluster over three zones in prod, and outlives the stack with its network', () => {
    const [[, broker] = []] = ofType(prod, 'AWS::AmazonMQ::Broker');
    expect(broker?.Properties).toMatchObject({ DeploymentMode: 'CLUSTER_MULTI_AZ' });
    expect(broker?.Properties.SubnetIds).toHaveLength(3);
    for (const type of [
      'AWS::AmazonMQ::Broker',
      'AWS::EC2::VPC',
      'AWS::EC2::Subnet',
      'AWS::DynamoDB::GlobalTable',
      'AWS::S3::Bucket',
      'AWS::Logs::LogGroup',
    ]) {
      for (const [id, resource] of ofType(prod, type)) {
        expect([id, resource.DeletionPolicy]).toEqual([id, 'Retain']);
      }
    }
  });

  it('keeps its administrator when the broker stays', () => {
    const admin = ofType(prod, 'AWS::SecretsManager::Secret').find(([id]) => id.includes('Admin'));
    expect(admin?.[1].DeletionPolicy).toBe('Retain');
  });

  it('goes with the stack in an environment that keeps nothing', () => {
    const [[, broker] = []] = ofType(fresh, 'AWS::AmazonMQ::Broker');
    expect(broker?.DeletionPolicy ?? 'Delete').toBe('Delete');
  });

  it('never has other users than the one it was created with', () => {
    const [[, broker] = []] = ofType(fresh, 'AWS::AmazonMQ::Broker');
    expect(broker?.Properties.Users).toEqual([
      {
        Username: 'layover-admin',
        Password: {
          'Fn::Join': [
            '',
            [
              '{{resolve:secretsmanager:',
              { Ref: expect.stringMatching(/^BrokerAdminSecret/) },
              ':SecretString:password::}}',
            ],
          ],
        },
      },
    ]);
  });

  it('is not made when one is given', () => {
    given.template.resourceCountIs('AWS::AmazonMQ::Broker', 0);
    given.template.resourceCountIs('AWS::EC2::VPC', 0);
  });
});

describe('passwords', () => {
  it('case 62: are made in a way that never changes, since a new one would lock everyone out', () => {
    expect(PASSWORD).toEqual({ passwordLength: 40, excludePunctuation: true });
    for (const [, { Properties }] of ofType(fresh, 'AWS::SecretsManager::Secret')) {
      expect(Properties.GenerateSecretString).toMatchObject({
        PasswordLength: 40,
        ExcludePunctuation: true,
        GenerateStringKey: 'password',
      });
    }
  });

  it('case 62: are not rotated by a schedule that the broker knows nothing of', () => {
    fresh.template.resourceCountIs('AWS::SecretsManager::RotationSchedule', 0);
  });

  it('belong to one user per function and the administrator', () => {
    const names = ofType(fresh, 'AWS::SecretsManager::Secret').map(
      ([, { Properties }]) =>
        JSON.parse(
          (Properties.GenerateSecretString as { SecretStringTemplate: string })
            .SecretStringTemplate,
        ).username as string,
    );
    expect(names.sort()).toEqual([
      'layover-admin',
      'layover-dev-mails',
      'layover-dev-orders',
      'layover-dev-probe',
      'layover-dev-replay',
      'layover-dev-replay-view',
    ]);
  });
});

describe('the network', () => {
  it('case 46: gives isolated subnets the endpoints that mapping and functions need', () => {
    const services = ofType(fresh, 'AWS::EC2::VPCEndpoint').map(([, { Properties }]) =>
      JSON.stringify(Properties.ServiceName),
    );
    for (const name of [...Object.keys(INTERFACE_ENDPOINTS), 'dynamodb', 's3']) {
      expect(services.some((service) => service.includes(`.${name}`))).toBe(true);
    }
    for (const [, { Properties }] of ofType(fresh, 'AWS::EC2::VPCEndpoint')) {
      if (Properties.VpcEndpointType === 'Interface') {
        expect(Properties.PrivateDnsEnabled).toBe(true);
      }
    }
    fresh.template.resourceCountIs('AWS::EC2::NatGateway', 0);
    fresh.template.resourceCountIs('AWS::EC2::InternetGateway', 0);
  });

  it('case 46: opens 443 of the endpoints to functions and broker group, 5671 to both', () => {
    const rules = ofType(fresh, 'AWS::EC2::SecurityGroupIngress').map(([, { Properties }]) => ({
      to: group(Properties.GroupId),
      from: group(Properties.SourceSecurityGroupId),
      port: Properties.ToPort,
    }));
    expect(rules).toEqual(
      expect.arrayContaining([
        { to: 'NetworkEndpoints', from: 'NetworkFunctions', port: 443 },
        { to: 'NetworkEndpoints', from: 'BrokerGroup', port: 443 },
        { to: 'BrokerGroup', from: 'BrokerGroup', port: 5671 },
        { to: 'BrokerGroup', from: 'NetworkFunctions', port: 5671 },
        { to: 'BrokerGroup', from: 'NetworkFunctions', port: 443 },
      ]),
    );
    expect(rules).toHaveLength(5);
  });

  it('case 46: lets the Lambda service do through the endpoints what the mapping needs', () => {
    const allowed = ofType(fresh, 'AWS::EC2::VPCEndpoint').flatMap(([, { Properties }]) => {
      const document = Properties.PolicyDocument as { Statement: Statement[] } | undefined;
      return (document?.Statement ?? [])
        .filter(
          ({ Principal }) => JSON.stringify(Principal) === '{"Service":"lambda.amazonaws.com"}',
        )
        .flatMap(({ Action }) => list(Action));
    });
    expect(allowed.sort()).toEqual([
      'lambda:InvokeFunction',
      'secretsmanager:GetSecretValue',
      'sts:AssumeRole',
    ]);
  });

  it('lets only principals of this account through its endpoints, beside the Lambda service', () => {
    for (const [, { Properties }] of ofType(fresh, 'AWS::EC2::VPCEndpoint')) {
      if (Properties.VpcEndpointType !== 'Interface') continue;
      const { Statement } = Properties.PolicyDocument as { Statement: Statement[] };
      for (const statement of Statement) {
        const lambda = JSON.stringify(statement.Principal).includes('lambda.amazonaws.com');
        if (!lambda) {
          expect(statement.Condition).toEqual({
            StringEquals: { 'aws:PrincipalAccount': { Ref: 'AWS::AccountId' } },
          });
        }
      }
    }
  });

  it('uses one NAT gateway and no interface endpoint when told so', () => {
    const nat = synthesise({ ...newInput, network: { kind: 'new', zones: 2, reach: 'nat' } });
    nat.template.resourceCountIs('AWS::EC2::NatGateway', 1);
    const kinds = ofType(nat, 'AWS::EC2::VPCEndpoint').map(
      ([, { Properties }]) => Properties.VpcEndpointType,
    );
    expect(kinds).toEqual(['Gateway', 'Gateway']);
  });

  it('makes nothing in a network that has its way to AWS already', () => {
    given.template.resourceCountIs('AWS::EC2::VPCEndpoint', 0);
  });

  it('adds endpoints to a given network when told so', () => {
    const synth = synthesise({
      ...givenInput,
      network: {
        ...givenInput.network,
        kind: 'given',
        reach: 'endpoints',
        routeTableIds: ['rtb-0aaaaaaaaaaaaaaaa', 'rtb-0bbbbbbbbbbbbbbbb'],
      } as typeof givenInput.network,
    });
    synth.template.resourceCountIs('AWS::EC2::VPCEndpoint', 7);
    synth.template.hasResourceProperties('AWS::EC2::VPCEndpoint', {
      VpcEndpointType: 'Gateway',
      RouteTableIds: ['rtb-0aaaaaaaaaaaaaaaa', 'rtb-0bbbbbbbbbbbbbbbb'],
    });
  });

  it('never asks for zones by name, which would need credentials', () => {
    const zones = ofType(prod, 'AWS::EC2::Subnet').map(
      ([, { Properties }]) => Properties.AvailabilityZone,
    );
    expect(zones).toEqual([0, 1, 2].map((i) => ({ 'Fn::Select': [i, { 'Fn::GetAZs': '' }] })));
  });
});

describe('a given broker', () => {
  it('gets our rules in its group when they are to be written', () => {
    const ports = ofType(given, 'AWS::EC2::SecurityGroupIngress').map(
      ([, { Properties }]) => `${Properties.GroupId}:${Properties.ToPort}`,
    );
    expect(ports.sort()).toEqual([
      `${givenBroker.securityGroupId}:443`,
      `${givenBroker.securityGroupId}:5671`,
      `${givenBroker.securityGroupId}:5671`,
    ]);
  });

  it('keeps its group as it is, with the rules as an output, when its owner writes them', () => {
    const printed = synthesise({ ...givenInput, broker: { ...givenBroker, rules: 'print' } });
    printed.template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
    const [rules] = Object.entries(printed.outputs).filter(([id]) => id === 'RulesToAdd');
    const text = JSON.stringify(rules);
    expect(text).toContain('tcp 5671 from ');
    expect(text).toContain('tcp 443 from ');
    expect(text).toContain(`tcp 5671 from ${givenBroker.securityGroupId}`);
  });
});

describe('mappings', () => {
  const mappings = () =>
    ofType(fresh, 'AWS::Lambda::EventSourceMapping').map(([id, resource]) => ({ id, ...resource }));
  const reading = (queue: string) => {
    const found = mappings().find(({ Properties }) =>
      list(Properties.Queues as string).includes(queue),
    );
    if (found === undefined) throw new Error(`No mapping reads ${queue}.`);
    return found;
  };

  it('read the work queue in batches and the isolated queue one message at a time', () => {
    expect(reading('crm.mails').Properties).toMatchObject({
      BatchSize: 10,
      MaximumBatchingWindowInSeconds: 5,
    });
    expect(reading('crm.mails.isolated').Properties).toMatchObject({ BatchSize: 1 });
    expect(mappings()).toHaveLength(4);
  });

  it('leave the default window of 500 ms out, which whole seconds can not say', () => {
    expect(reading('orders').Properties).not.toHaveProperty('MaximumBatchingWindowInSeconds');
    expect(reading('crm.mails.isolated').Properties).not.toHaveProperty(
      'MaximumBatchingWindowInSeconds',
    );
  });

  it('wait for the topology, which makes their queues and their user', () => {
    const [[topology] = []] = ofType(fresh, 'Custom::LayoverTopology');
    for (const { DependsOn } of mappings()) expect(DependsOn).toContain(topology);
  });

  it('go before the guard that waits for their network interfaces, and it before the network', () => {
    const [[guard, resource] = []] = ofType(fresh, 'Custom::LayoverMappingTeardown');
    for (const { DependsOn } of mappings()) expect(DependsOn).toContain(guard);
    expect(JSON.stringify(resource?.Properties)).toContain('"BrokerGroup');
    const network = ofType(fresh, 'AWS::EC2::Subnet').map(([id]) => id);
    expect(resource?.DependsOn).toEqual(expect.arrayContaining(network));
  });

  it('need no guard where group and subnets are not ours', () => {
    given.template.resourceCountIs('Custom::LayoverMappingTeardown', 0);
  });

  it('wait for the permissions of the role they read the broker with', () => {
    for (const { DependsOn } of mappings()) {
      expect(DependsOn?.some((id) => id.includes('RoleDefaultPolicy'))).toBe(true);
    }
  });

  it('name their queue and virtual host in the logical id, since neither can be changed', () => {
    expect(reading('orders').id).toMatch(/ordersoflayover/);
    const moved = synthesise({ ...newInput, vhost: 'other' });
    const before = mappings().map(({ id }) => id);
    const after = ofType(moved, 'AWS::Lambda::EventSourceMapping').map(([id]) => id);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
  });

  it('log in with the flow’s own user, in the environment’s virtual host', () => {
    expect(reading('orders').Properties.SourceAccessConfigurations).toEqual([
      { Type: 'BASIC_AUTH', URI: { Ref: expect.stringMatching(/^Userorders/) } },
      { Type: 'VIRTUAL_HOST', URI: 'layover' },
    ]);
  });

  it('never filter, since what a filter rejects is acknowledged and lost', () => {
    for (const { Properties } of mappings()) {
      expect(Properties).not.toHaveProperty('FilterCriteria');
      expect(Properties).not.toHaveProperty('FunctionResponseTypes');
    }
  });

  it('are deployed without reading before a cut-over, flow by flow or all of them', () => {
    const off = synthesise({ ...newInput, enabled: false, flows: { orders: { enabled: true } } });
    const enabled = Object.fromEntries(
      ofType(off, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => [
        list(Properties.Queues as string)[0],
        Properties.Enabled,
      ]),
    );
    expect(enabled).toEqual({
      orders: true,
      'orders.isolated': true,
      'crm.mails': false,
      'crm.mails.isolated': false,
    });
  });

  it('take what the environment changes of one flow', () => {
    const changed = synthesise({
      ...newInput,
      flows: {
        orders: { batchSize: 7, batchWindowMs: 3_000, memoryMiB: 1_024, timeoutMs: 120_000 },
      },
    });
    changed.template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      Queues: ['orders'],
      BatchSize: 7,
      MaximumBatchingWindowInSeconds: 3,
    });
    changed.template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'layover-dev-orders',
      MemorySize: 1_024,
      Timeout: 120,
    });
  });
});

describe('functions', () => {
  it('run on Node.js 24 inside the network, at most 14 minutes', () => {
    const own = ofType(fresh, 'AWS::Lambda::Function').filter(
      ([, { Properties }]) => Properties.FunctionName !== undefined,
    );
    expect(own.map(([, { Properties }]) => Properties.FunctionName).sort()).toEqual([
      'layover-dev-mails',
      'layover-dev-orders',
      'layover-dev-probe',
      'layover-dev-replay-bodies',
      'layover-dev-replay-configure',
      'layover-dev-replay-run',
      'layover-dev-replay-schedule',
      'layover-dev-replay-view',
      'layover-dev-teardown',
      'layover-dev-topology',
    ]);
    for (const [, { Properties }] of own) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Handler: 'index.handler' });
      const inside = Properties.FunctionName !== 'layover-dev-teardown';
      expect(Properties.VpcConfig !== undefined).toBe(inside);
      expect(Number(Properties.Timeout)).toBeLessThanOrEqual(840);
    }
  });

  it('answer CloudFormation from outside the network, which has no way to it', () => {
    const framework = ofType(fresh, 'AWS::Lambda::Function').filter(([id]) =>
      id.includes('framework'),
    );
    expect(framework).toHaveLength(2);
    for (const [, { Properties }] of framework) expect(Properties).not.toHaveProperty('VpcConfig');
  });

  it('are told where broker, user and table are', () => {
    fresh.template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'layover-dev-orders',
      Environment: {
        Variables: Match.objectLike({
          LAYOVER_ENVIRONMENT: 'dev',
          LAYOVER_BROKER_PORT: '5671',
          LAYOVER_BROKER_VHOST: 'layover',
          LAYOVER_BROKER_SECRET_ARN: { Ref: Match.stringLikeRegexp('^Userorders') },
          LAYOVER_TABLE: { Ref: Match.stringLikeRegexp('^Claims') },
        }),
      },
    });
  });
});

describe('least privilege', () => {
  it('never gives a secret by wildcard', () => {
    const reads = statements(fresh).filter(({ Action }) =>
      list(Action).some((action) => action.startsWith('secretsmanager:')),
    );
    expect(reads.length).toBeGreaterThan(0);
    for (const { Resource } of reads) expect(JSON.stringify(Resource)).not.toContain('*');
  });

  it('gives a flow its own secret and no other', () => {
    const policy = ofType(fresh, 'AWS::IAM::Policy').find(([id]) => id.startsWith('Floworders'));
    const text = JSON.stringify(policy);
    expect(text).toContain('"Userorders');
    expect(text).not.toContain('"Usermails');
    expect(text).not.toContain('"BrokerAdmin');
  });

  it('uses a wildcard resource only for what takes no other', () => {
    for (const { Action, Resource, Effect } of statements(fresh)) {
      if (Effect !== 'Allow' || Resource !== '*') continue;
      for (const action of list(Action)) {
        expect(action).toMatch(/^(ec2:(Create|Delete|Describe)|cloudwatch:DescribeAlarms$)/);
      }
    }
  });

  it('denies the code itself what Lambda needs to attach it to the network', () => {
    const denies = statements(fresh).filter(({ Effect }) => Effect === 'Deny');
    expect(denies).toHaveLength(9);
    for (const { Condition } of denies) {
      expect(JSON.stringify(Condition)).toContain('lambda:SourceFunctionArn');
    }
  });

  it('keeps the probe off the claims', () => {
    const probe = ofType(fresh, 'AWS::IAM::Policy').find(([id]) => id.startsWith('Probe'));
    expect(JSON.stringify(probe)).toContain('"dynamodb:LeadingKeys":["probe#memory"]');
  });
});

describe('the probe and the mappings', () => {
  const probePolicy = () =>
    statements(fresh, 'Probe').filter(({ Action }) =>
      list(Action).some((action) => action.startsWith('lambda:')),
    );

  it('asks for the state of every mapping of every flow', () => {
    const probe = ofType(fresh, 'AWS::Lambda::Function').find(
      ([, { Properties }]) => Properties.FunctionName === 'layover-dev-probe',
    );
    const { Variables } = (probe?.[1].Properties.Environment ?? {}) as {
      Variables: { LAYOVER_MAPPINGS: { 'Fn::Join': [string, unknown[]] } };
    };
    const parts = Variables.LAYOVER_MAPPINGS['Fn::Join'][1];
    const ids = parts.map((part) => (typeof part === 'string' ? part : '<id>')).join('');
    expect(JSON.parse(ids)).toEqual({ orders: ['<id>', '<id>'], mails: ['<id>', '<id>'] });
    const referred = parts.flatMap((part) => (typeof part === 'string' ? [] : [part]));
    const mappings = ofType(fresh, 'AWS::Lambda::EventSourceMapping').map(([id]) => ({ Ref: id }));
    expect(referred).toEqual(expect.arrayContaining(mappings));
  });

  it('may read those by their own ARNs, and may change none', () => {
    const own = ofType(fresh, 'AWS::Lambda::EventSourceMapping').map(([id]) => ({
      'Fn::GetAtt': [id, 'EventSourceMappingArn'],
    }));
    const reads = probePolicy().filter(
      ({ Action }) => list(Action)[0] === 'lambda:GetEventSourceMapping',
    );
    expect(reads).toHaveLength(1);
    expect(list(reads[0]?.Resource)).toHaveLength(4);
    expect(list(reads[0]?.Resource)).toEqual(expect.arrayContaining(own));
    for (const { Action } of probePolicy()) {
      for (const action of list(Action)) {
        expect(action).toBe('lambda:GetEventSourceMapping');
      }
    }
  });

  it('get through the endpoint of Lambda from isolated subnets', () => {
    const endpoint = ofType(fresh, 'AWS::EC2::VPCEndpoint').find(([, { Properties }]) =>
      JSON.stringify(Properties.ServiceName).includes('.lambda"'),
    );
    const { Statement } = (endpoint?.[1].Properties.PolicyDocument ?? {}) as {
      Statement: Statement[];
    };
    const ours = Statement.find(({ Condition }) => Condition !== undefined);
    expect(ours).toMatchObject({ Effect: 'Allow', Action: '*', Principal: { AWS: '*' } });
  });
});

describe('the topology resource', () => {
  const properties = (synth: Synthesised) =>
    ofType(synth, 'Custom::LayoverTopology')[0]?.[1].Properties ?? {};

  it('case 58: carries the model as JSON text, so that a TTL stays a number', () => {
    const model = JSON.parse(String(properties(fresh).Model));
    const wait = model.queues.find(({ name }: { name: string }) => name === 'orders.wait.10s');
    expect(wait.arguments['x-message-ttl']).toBe(10_000);
  });

  it('makes a user for each flow and the probe, with what each may touch', () => {
    const text = JSON.stringify(properties(fresh).Users);
    expect(text).toContain('^(orders|orders\\\\\\\\.isolated)$');
    expect(text).toContain('^(crm\\\\\\\\.mails|crm\\\\\\\\.mails\\\\\\\\.isolated)$');
    expect(text).toContain('monitoring');
  });

  it('checks only, where somebody else declares the queues', () => {
    expect(properties(synthesise({ ...givenInput, topology: 'check' }))).toMatchObject({
      Mode: 'check',
    });
  });

  it('makes no users where they are given', () => {
    const arn = (name: string) =>
      `arn:aws:secretsmanager:eu-central-1:111122223333:secret:${name}-AbCdEf`;
    const synth = synthesise({
      ...givenInput,
      users: {
        kind: 'given',
        probeSecretArn: arn('probe'),
        replaySecretArn: arn('replay'),
        flowSecretArns: { orders: arn('orders'), mails: arn('mails') },
      },
    });
    expect(properties(synth).Users).toBe('[]');
    synth.template.resourceCountIs('AWS::SecretsManager::Secret', 0);
  });
});

describe('what does not fit the flows', () => {
  it('is refused: an override for a flow there is not', () => {
    expect(() => synthesise({ ...newInput, flows: { order: { batchSize: 1 } } })).toThrow(
      'dev.flows.order: there is no such flow. There are orders, mails.',
    );
  });

  it('is refused: given users without one of the flows', () => {
    const arn = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:p-AbCdEf';
    expect(() =>
      synthesise({
        ...givenInput,
        users: { kind: 'given', probeSecretArn: arn, replaySecretArn: arn, flowSecretArns: {} },
      }),
    ).toThrow("dev.users.flowSecretArns.orders: nothing won't do.");
  });

  it('is refused: more queues than the broker allows', () => {
    const broker = { ...newInput.broker, queueLimit: 12 };
    expect(() => synthesise({ ...newInput, broker })).toThrow(
      'allows 12 queues, 13 are wanted: orders 8, mails 5.',
    );
  });

  it('is refused: a flow with the name of something the deployment makes', () => {
    const [flow] = FLOWS;
    if (flow === undefined) throw new Error('no flow');
    const probe = { ...flow, name: 'probe' };
    expect(() => synthesise(newInput, { flows: [probe] })).toThrow(
      'functions/flows/probe: the deployment has something of that name itself.',
    );
  });
});

/** Logical id without its hash, of a reference to a security group. */
function group(reference: unknown): string {
  const [id = ''] = (reference as { 'Fn::GetAtt'?: string[] })['Fn::GetAtt'] ?? [];
  return id.replace(/[0-9A-F]{8}$/, '');
}
