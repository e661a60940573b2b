import { describe, expect, it } from 'vitest';
import { checkEngine, ENGINES, queueQuota } from '../../infra/engine-rules.ts';
import { EnvironmentError } from '../../infra/environment-error.ts';
import { defineEnvironment } from '../../infra/environment-rules.ts';
import type { EnvironmentInput } from '../../infra/environment-types.ts';
import { environmentNamed, environments } from '../../infra/environments.ts';
import { checkQueueQuota } from '../../infra/queue-quota.ts';
import { givenBroker, givenInput, newInput } from './inputs.ts';

function refusal(input: EnvironmentInput): EnvironmentError {
  try {
    defineEnvironment('dev', input);
  } catch (error) {
    if (error instanceof EnvironmentError) return error;
    throw error;
  }
  throw new Error('Expected the environment to be refused.');
}

describe('naming an environment', () => {
  it('finds each of the three by its name', () => {
    for (const name of ['dev', 'staging', 'prod'] as const) {
      expect(environmentNamed(name)).toBe(environments[name]);
    }
  });

  it('refuses an unknown name and lists what exists', () => {
    expect(() => environmentNamed('production')).toThrow(
      'env: "production" is unknown. Name one with -c env=<name>: dev, staging, prod.',
    );
  });

  it('says how to name one when none was named', () => {
    expect(() => environmentNamed(undefined)).toThrow(
      'env: none was named. Name one with -c env=<name>: dev, staging, prod.',
    );
  });

  it('does not take a property every object has for an environment', () => {
    expect(() => environmentNamed('constructor')).toThrow('"constructor" is unknown');
  });
});

describe('the environments as they are shipped', () => {
  it('gives prod a cluster whose messages outlive the stack', () => {
    expect(environments.prod.broker).toMatchObject({ kind: 'new', deployment: 'cluster' });
    expect(environments.prod.removal).toBe('retain');
  });

  it('keeps dev on one small node that goes with the stack', () => {
    expect(environments.dev.broker).toMatchObject({
      instanceType: 'mq.m7g.medium',
      deployment: 'single',
    });
    expect(environments.dev.removal).toBe('destroy');
  });
});

describe('keys', () => {
  const unknown: readonly [string, object, string][] = [
    [
      'the environment',
      { ...newInput, colour: 'red' },
      'dev.colour: unknown. There are account, region, enabled,',
    ],
    [
      'the network',
      { ...newInput, network: { ...newInput.network, zone: 2 } },
      'dev.network.zone: unknown. There are kind, zones, reach, cidr.',
    ],
    [
      'the broker',
      { ...newInput, broker: { ...newInput.broker, size: 'big' } },
      'dev.broker.size: unknown. There are kind, engine,',
    ],
    [
      'the users',
      { ...newInput, users: { kind: 'made', probe: 'x' } },
      'dev.users.probe: unknown. There are kind.',
    ],
    [
      'the alarms',
      { ...newInput, alarms: { page: [], ticket: [], email: [] } },
      'dev.alarms.email: unknown. There are page, ticket.',
    ],
    [
      'a flow',
      { ...newInput, flows: { orders: { batch: 10 } } },
      'dev.flows.orders.batch: unknown. There are enabled, batchSize,',
    ],
  ];
  it.each(unknown)(
    'refuses an unknown key of %s and lists what exists',
    (_what, input, message) => {
      const error = refusal(input as EnvironmentInput);
      expect(error.code).toBe('unknown-key');
      expect(error.message).toContain(message);
    },
  );
});

const GIVEN_SECRET = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:probe-AbCdEf';

describe('values', () => {
  const refused: readonly [string, object, string][] = [
    [
      'an account without a region',
      { account: '111122223333' },
      "dev.region: nothing won't do. Give account and region together, or neither.",
    ],
    [
      'an account that is no account',
      { account: '1234', region: 'eu-central-1' },
      'dev.account: "1234" won\'t do. It must be an account id of 12 digits.',
    ],
    [
      'a region that is none',
      { account: '111122223333', region: 'Frankfurt' },
      'dev.region: "Frankfurt" won\'t do. It must be a region such as eu-central-1.',
    ],
    ['a vhost with a space', { vhost: 'lay over' }, 'dev.vhost: "lay over" won\'t do.'],
    [
      'a retention CloudWatch does not know',
      { logRetentionDays: 10 },
      "dev.logRetentionDays: 10 won't do. Use one of 1, 3, 5, 7, 14,",
    ],
    [
      'a removal policy that is none',
      { removal: 'keep' },
      'dev.removal: "keep" won\'t do. Choose one of retain, destroy.',
    ],
    [
      'a mode of replay that is none',
      { replay: 'auto' },
      'dev.replay: "auto" won\'t do. Choose one of on, observe, off.',
    ],
    [
      'given users without the one that replays',
      { users: { kind: 'given', probeSecretArn: GIVEN_SECRET, flowSecretArns: {} } },
      'dev.users.replaySecretArn: "" won\'t do. It must be the full ARN of a secret',
    ],
    [
      'a recipient that is no address',
      { alarms: { page: ['oncall'], ticket: [] } },
      'dev.alarms.page: "oncall" won\'t do. It must be an e-mail address or an https URL.',
    ],
    [
      'a cluster in two zones',
      { broker: { ...newInput.broker, deployment: 'cluster' } },
      "dev.network.zones: 2 won't do. A cluster has three nodes, each in a zone of its own: give 3.",
    ],
    [
      'a maintenance window that is no time',
      { broker: { ...newInput.broker, maintenance: { day: 'SUNDAY', timeUtc: '3 am' } } },
      'dev.broker.maintenance.timeUtc: "3 am" won\'t do.',
    ],
    [
      'a definitions file with users to make',
      { topology: 'definitions' },
      "dev.users.kind: \"made\" won't do. With topology 'definitions' the deployment never logs in",
    ],
    [
      'a check of a broker that is still empty',
      { topology: 'check' },
      'dev.topology: "check" won\'t do. A new broker is empty:',
    ],
    [
      'a timeout over 14 minutes',
      { flows: { orders: { timeoutMs: 900_000 } } },
      "dev.flows.orders.timeoutMs: 900000 won't do. It must be a whole number from 1000 to 840000.",
    ],
    [
      'a batch window of broken seconds',
      { flows: { orders: { batchWindowMs: 1_500 } } },
      "dev.flows.orders.batchWindowMs: 1500 won't do. Lambda takes 500 ms, its default, or whole seconds up to 300.",
    ],
    [
      'a batch over ten thousand',
      { flows: { orders: { batchSize: 10_001 } } },
      "dev.flows.orders.batchSize: 10001 won't do.",
    ],
  ];
  it.each(refused)('refuses %s', (_what, change, message) => {
    expect(refusal({ ...newInput, ...change } as EnvironmentInput).message).toContain(message);
  });

  it('only observes what could be replayed unless told otherwise', () => {
    expect(defineEnvironment('dev', newInput).replay).toBe('observe');
    expect(defineEnvironment('dev', { ...newInput, replay: 'on' }).replay).toBe('on');
  });

  it('takes the default batch window of 500 ms and whole seconds', () => {
    for (const batchWindowMs of [0, 500, 1_000, 300_000]) {
      expect(
        defineEnvironment('dev', { ...newInput, flows: { orders: { batchWindowMs } } }).flows,
      ).toEqual({ orders: { batchWindowMs } });
    }
  });
});

describe('a given broker', () => {
  it('is accepted in its own account, region and network', () => {
    expect(defineEnvironment('dev', givenInput).broker).toBe(givenBroker);
  });

  it('is refused in another account', () => {
    const error = refusal({ ...givenInput, account: '999900001111' });
    expect(error.code).toBe('cross-account');
    expect(error.message).toBe(
      "dev.broker.arn: the broker is in account 111122223333, region eu-central-1, the environment in account 999900001111, region eu-central-1. A mapping reads a broker of its own account and region only: set account and region to the broker's.",
    );
  });

  it('is refused in another region, and in an environment that names neither', () => {
    expect(refusal({ ...givenInput, region: 'eu-west-1' }).code).toBe('cross-account');
    const { account: _account, region: _region, ...agnostic } = givenInput;
    expect(refusal(agnostic).message).toContain('the environment in account (any), region (any)');
  });

  it('is refused in a network that does not exist yet', () => {
    expect(refusal({ ...givenInput, network: newInput.network }).message).toContain(
      'dev.broker.kind: "given" won\'t do. A broker that exists lives in a network that exists',
    );
  });

  const broken: readonly [string, object, string][] = [
    [
      'an ARN of something else',
      { arn: 'arn:aws:sqs:eu-central-1:111122223333:q' },
      'dev.broker.arn',
    ],
    ['an endpoint with scheme and port', { host: 'amqps://b-1.mq:5671' }, 'dev.broker.host'],
    ['a secret by name', { secretArn: 'rabbit/admin' }, 'dev.broker.secretArn'],
    ['a group by name', { securityGroupId: 'broker' }, 'dev.broker.securityGroupId'],
    ['rules left open', { rules: 'ask' }, 'dev.broker.rules'],
  ];
  it.each(broken)('is refused with %s', (_what, change, field) => {
    const broker = { ...givenBroker, ...change } as typeof givenBroker;
    expect(refusal({ ...givenInput, broker }).message).toMatch(new RegExp(`^${field}: `));
  });

  it('needs a zone and a route table for each subnet', () => {
    const network = { ...givenInput.network, availabilityZones: ['eu-central-1a'] };
    expect(refusal({ ...givenInput, network } as EnvironmentInput).message).toContain(
      'dev.network.availabilityZones: ["eu-central-1a"] won\'t do. Give one for each of the 2 subnets',
    );
    const endpoints = { ...givenInput.network, reach: 'endpoints' };
    expect(refusal({ ...givenInput, network: endpoints } as EnvironmentInput).message).toContain(
      'dev.network.routeTableIds: []',
    );
  });
});

describe('engine rules', () => {
  const accepted: readonly [string, string][] = [
    ['3.13', 'mq.t3.micro'],
    ['3.13', 'mq.m5.large'],
    ['3.13', 'mq.m7g.medium'],
    ['4.2', 'mq.m7g.medium'],
    ['4.3', 'mq.m7g.16xlarge'],
  ];
  it.each(accepted)('RabbitMQ %s runs on %s', (engine, instanceType) => {
    expect(() => checkEngine('dev.broker', engine, instanceType, 'single')).not.toThrow();
  });

  const refused: readonly [string, string][] = [
    ['4.2', 'mq.t3.micro'],
    ['4.2', 'mq.m5.large'],
    ['4.3', 'mq.m5.large'],
    ['4.3', 'm7g.large'],
    ['3.13', 'mq.m7g.huge'],
  ];
  it.each(refused)('RabbitMQ %s refuses %s and lists what it runs on', (engine, type) => {
    expect(() => checkEngine('dev.broker', engine, type, 'single')).toThrow(
      new RegExp(
        `^dev\\.broker\\.instanceType: RabbitMQ ${engine} does not run on "${type}"\\. Choose one of mq\\.`,
      ),
    );
  });

  it('refuses an engine Amazon MQ does not offer', () => {
    expect(() => checkEngine('dev.broker', '4.0', 'mq.m7g.large', 'single')).toThrow(
      'dev.broker.engine: "4.0" is not offered. Choose one of 3.13, 4.2, 4.3.',
    );
  });

  it('refuses a cluster of t3', () => {
    expect(() => checkEngine('dev.broker', '3.13', 'mq.t3.micro', 'cluster')).toThrow(
      "dev.broker.deployment: mq.t3.micro can't form a cluster.",
    );
  });
});

describe('queue quota', () => {
  it('knows the documented quotas of 4.x', () => {
    for (const engine of ENGINES.filter((e) => e !== '3.13')) {
      expect(queueQuota(engine, 'mq.m7g.medium', 'cluster')).toBe(100);
      expect(queueQuota(engine, 'mq.m7g.medium', 'single')).toBe(500);
      expect(queueQuota(engine, 'mq.m7g.large', 'single')).toBe(1_000);
    }
  });

  it('takes a size without a figure of its own for no less than the next smaller', () => {
    expect(queueQuota('4.2', 'mq.m7g.16xlarge', 'single')).toBe(24_000);
    expect(queueQuota('4.3', 'mq.m7g.4xlarge', 'cluster')).toBe(1_000);
    expect(queueQuota('3.13', 'mq.m7g.xlarge', 'single')).toBe(20_000);
  });

  const cluster = (extra: object) =>
    defineEnvironment('prod', {
      ...newInput,
      network: { kind: 'new', zones: 3, reach: 'endpoints' },
      broker: { ...newInput.broker, deployment: 'cluster', ...extra } as EnvironmentInput['broker'],
    });
  const queues = (count: number) => Array.from({ length: count }, () => ({ flow: 'orders' }));

  it('accepts exactly the quota', () => {
    expect(() => checkQueueQuota(cluster({}), queues(100))).not.toThrow();
  });

  it('refuses one more, with the arithmetic and the ways out', () => {
    expect(() => checkQueueQuota(cluster({}), queues(101))).toThrow(
      "prod.broker.instanceType: mq.m7g.medium (cluster, RabbitMQ 4.2) allows 100 queues, 101 are wanted: orders 101. Choose a larger instance type, fewer tiers or jitter lanes, or raise the broker's cluster_queue_limit and set prod.broker.queueLimit to it.",
    );
  });

  it("counts the broker's other queues", () => {
    expect(() => checkQueueQuota(cluster({ otherQueues: 60 }), queues(41))).toThrow(
      '101 are wanted: orders 41, others 60.',
    );
  });

  it('believes a limit the owner raised', () => {
    expect(() => checkQueueQuota(cluster({ queueLimit: 300 }), queues(300))).not.toThrow();
  });
});
