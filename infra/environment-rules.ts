import { checkEngine } from './engine-rules.ts';
import { EnvironmentError } from './environment-error.ts';
import type {
  BrokerSettings,
  Environment,
  EnvironmentInput,
  EnvironmentName,
  FlowOverride,
  NetworkSettings,
} from './environment-types.ts';

/** Lambda lets a function fed by Amazon MQ run 14 minutes at most. */
export const MAX_TIMEOUT_MS = 14 * 60_000;
const MAX_BATCH_SIZE = 10_000;
const MAX_WINDOW_MS = 300_000;

/** Retention periods CloudWatch Logs accepts, in days. */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
];

const KEYS = {
  environment:
    'account region enabled vhost network broker topology users logRetentionDays removal alarms replay flows',
  'network.new': 'kind zones reach cidr',
  'network.given': 'kind vpcId availabilityZones subnetIds routeTableIds reach',
  'broker.new': 'kind engine instanceType deployment otherQueues queueLimit maintenance',
  'broker.given':
    'kind engine instanceType deployment otherQueues queueLimit arn host secretArn securityGroupId rules',
  'users.made': 'kind',
  'users.given': 'kind probeSecretArn replaySecretArn replayViewSecretArn flowSecretArns',
  maintenance: 'day timeUtc',
  alarms: 'page ticket',
  flow: 'enabled batchSize batchWindowMs memoryMiB timeoutMs parkedDepth parkedRate workDepth',
} as const;

/**
 * Checks an environment and fills in its defaults.
 * @throws EnvironmentError naming the field, its value and the way out.
 */
export function defineEnvironment(name: EnvironmentName, input: EnvironmentInput): Environment {
  knownKeys(name, input, KEYS.environment);
  checkAccount(name, input);
  checkVhost(name, input.vhost);
  checkNetwork(`${name}.network`, input.network);
  checkBroker(name, input);
  checkUsers(name, input);
  oneOf(`${name}.topology`, input.topology, ['apply', 'check', 'definitions']);
  oneOf(`${name}.removal`, input.removal, ['retain', 'destroy']);
  if (!RETENTION_DAYS.includes(input.logRetentionDays)) {
    bad(
      `${name}.logRetentionDays`,
      input.logRetentionDays,
      `Use one of ${RETENTION_DAYS.join(', ')}.`,
    );
  }
  checkRecipients(name, input);
  const { replay = 'observe', flows = {} } = input;
  oneOf(`${name}.replay`, replay, ['on', 'observe', 'off']);
  for (const [flow, override] of Object.entries(flows)) {
    checkOverride(`${name}.flows.${flow}`, override);
  }
  return { ...input, name, replay, flows };
}

function checkAccount(name: string, { account, region }: EnvironmentInput): void {
  if ((account === undefined) !== (region === undefined)) {
    bad(
      account === undefined ? `${name}.account` : `${name}.region`,
      undefined,
      'Give account and region together, or neither.',
    );
  }
  if (account !== undefined)
    matching(`${name}.account`, account, /^\d{12}$/, 'an account id of 12 digits');
  if (region !== undefined)
    matching(`${name}.region`, region, /^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1');
}

function checkVhost(name: string, vhost: string): void {
  matching(
    `${name}.vhost`,
    vhost,
    /^(\/|[A-Za-z0-9_.-]{1,200})$/,
    "'/' or up to 200 letters, digits, '.', '_' and '-'",
  );
}

function checkNetwork(field: string, network: NetworkSettings): void {
  oneOf(`${field}.kind`, network.kind, ['new', 'given']);
  knownKeys(field, network, KEYS[`network.${network.kind}`]);
  if (network.kind === 'new') {
    oneOf(`${field}.zones`, network.zones, [2, 3]);
    oneOf(`${field}.reach`, network.reach, ['endpoints', 'nat']);
    return;
  }
  oneOf(`${field}.reach`, network.reach, ['endpoints', 'existing']);
  matching(`${field}.vpcId`, network.vpcId, /^vpc-[0-9a-f]+$/, 'a VPC id such as vpc-0a1b2c3d');
  if (network.subnetIds.length === 0) bad(`${field}.subnetIds`, [], 'Name at least one subnet.');
  sameLength(field, 'availabilityZones', network.availabilityZones, network.subnetIds);
  if (new Set(network.availabilityZones).size !== network.availabilityZones.length) {
    bad(
      `${field}.availabilityZones`,
      network.availabilityZones,
      'Each subnet must be in a zone of its own.',
    );
  }
  if (network.reach === 'endpoints') {
    sameLength(field, 'routeTableIds', network.routeTableIds ?? [], network.subnetIds);
  }
}

function checkBroker(name: string, input: EnvironmentInput): void {
  const { broker } = input;
  const field = `${name}.broker`;
  oneOf(`${field}.kind`, broker.kind, ['new', 'given']);
  knownKeys(field, broker, KEYS[`broker.${broker.kind}`]);
  oneOf(`${field}.deployment`, broker.deployment, ['single', 'cluster']);
  checkEngine(field, broker.engine, broker.instanceType, broker.deployment);
  if (broker.otherQueues !== undefined)
    wholeNumber(`${field}.otherQueues`, broker.otherQueues, 0, 1e6);
  if (broker.queueLimit !== undefined)
    wholeNumber(`${field}.queueLimit`, broker.queueLimit, 1, 1e6);
  if (broker.kind === 'new') {
    knownKeys(`${field}.maintenance`, broker.maintenance, KEYS.maintenance);
    matching(
      `${field}.maintenance.timeUtc`,
      broker.maintenance.timeUtc,
      /^([01]\d|2[0-3]):[0-5]\d$/,
      "a time such as '03:00'",
    );
    checkClusterZones(name, input);
    return;
  }
  checkGivenBroker(field, broker, input);
}

function checkClusterZones(name: string, { broker, network }: EnvironmentInput): void {
  const zones = network.kind === 'new' ? network.zones : network.subnetIds.length;
  if (broker.deployment === 'cluster' && zones !== 3) {
    bad(
      `${name}.network.${network.kind === 'new' ? 'zones' : 'subnetIds'}`,
      zones,
      'A cluster has three nodes, each in a zone of its own: give 3.',
    );
  }
}

function checkGivenBroker(
  field: string,
  broker: Extract<BrokerSettings, { kind: 'given' }>,
  { account, region, network }: EnvironmentInput,
): void {
  const arn = /^arn:aws[a-z-]*:mq:([a-z0-9-]+):(\d{12}):broker:[^:]+:b-[0-9a-f-]+$/.exec(
    broker.arn,
  );
  if (arn === null) {
    bad(
      `${field}.arn`,
      broker.arn,
      'Copy the ARN from `aws mq describe-broker`: arn:aws:mq:<region>:<account>:broker:<name>:b-<id>.',
    );
  }
  const [, brokerRegion, brokerAccount] = arn;
  if (account !== brokerAccount || region !== brokerRegion) {
    throw new EnvironmentError(
      'cross-account',
      `${field}.arn: the broker is in account ${brokerAccount}, region ${brokerRegion}, the environment in account ${account ?? '(any)'}, region ${region ?? '(any)'}. A mapping reads a broker of its own account and region only: set account and region to the broker's.`,
    );
  }
  if (network.kind === 'new') {
    bad(
      `${field}.kind`,
      'given',
      "A broker that exists lives in a network that exists: set network.kind to 'given', with the broker's VPC.",
    );
  }
  matching(`${field}.host`, broker.host, /^[a-z0-9.-]+$/, 'a host name without scheme or port');
  matching(`${field}.secretArn`, broker.secretArn, SECRET_ARN, SECRET_ARN_TEXT);
  matching(
    `${field}.securityGroupId`,
    broker.securityGroupId,
    /^sg-[0-9a-f]+$/,
    'a security group id such as sg-0a1b2c3d',
  );
  oneOf(`${field}.rules`, broker.rules, ['write', 'print']);
}

const SECRET_ARN = /^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:.+-[A-Za-z0-9]{6}$/;
const SECRET_ARN_TEXT = 'the full ARN of a secret, with its six characters at the end';

function checkUsers(name: string, { users, topology, broker }: EnvironmentInput): void {
  oneOf(`${name}.users.kind`, users.kind, ['made', 'given']);
  knownKeys(`${name}.users`, users, KEYS[`users.${users.kind}`]);
  if (users.kind === 'given') {
    for (const key of ['probeSecretArn', 'replaySecretArn', 'replayViewSecretArn'] as const) {
      const arn = users[key];
      if (arn === undefined && key === 'replayViewSecretArn') continue;
      matching(`${name}.users.${key}`, arn ?? '', SECRET_ARN, SECRET_ARN_TEXT);
    }
    for (const [flow, arn] of Object.entries(users.flowSecretArns)) {
      matching(`${name}.users.flowSecretArns.${flow}`, arn, SECRET_ARN, SECRET_ARN_TEXT);
    }
  } else if (topology === 'definitions') {
    bad(
      `${name}.users.kind`,
      'made',
      "With topology 'definitions' the deployment never logs in as an administrator, so it can't make users: set users.kind to 'given'.",
    );
  }
  if (broker.kind === 'new' && topology !== 'apply') {
    bad(
      `${name}.topology`,
      topology,
      "A new broker is empty: set topology to 'apply', or broker.kind to 'given'.",
    );
  }
}

function checkRecipients(name: string, { alarms }: EnvironmentInput): void {
  knownKeys(`${name}.alarms`, alarms, KEYS.alarms);
  for (const severity of ['page', 'ticket'] as const) {
    for (const recipient of alarms[severity]) {
      matching(
        `${name}.alarms.${severity}`,
        recipient,
        /^(https:\/\/\S+|[^\s@]+@[^\s@]+\.[^\s@]+)$/,
        'an e-mail address or an https URL',
      );
    }
  }
}

function checkOverride(field: string, override: FlowOverride): void {
  knownKeys(field, override, KEYS.flow);
  const within = (key: keyof FlowOverride, min: number, max: number) => {
    if (override[key] !== undefined) wholeNumber(`${field}.${key}`, override[key], min, max);
  };
  within('batchSize', 1, MAX_BATCH_SIZE);
  within('batchWindowMs', 0, MAX_WINDOW_MS);
  within('memoryMiB', 128, 10_240);
  within('timeoutMs', 1_000, MAX_TIMEOUT_MS);
  for (const key of ['parkedDepth', 'parkedRate', 'workDepth'] as const) within(key, 1, 1e9);
  const window = override.batchWindowMs;
  if (window !== undefined && window !== 500 && window % 1_000 !== 0) {
    bad(
      `${field}.batchWindowMs`,
      window,
      'Lambda takes 500 ms, its default, or whole seconds up to 300.',
    );
  }
}

function knownKeys(field: string, value: object, keys: string): void {
  const known = keys.split(' ');
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw new EnvironmentError(
        'unknown-key',
        `${field}.${key}: unknown. There are ${known.join(', ')}.`,
      );
    }
  }
}

function oneOf(field: string, value: unknown, choices: readonly unknown[]): void {
  if (!choices.includes(value)) bad(field, value, `Choose one of ${choices.join(', ')}.`);
}

function matching(field: string, value: string, pattern: RegExp, wanted: string): void {
  if (typeof value !== 'string' || !pattern.test(value)) bad(field, value, `It must be ${wanted}.`);
}

function wholeNumber(field: string, value: unknown, min: number, max: number): void {
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max) {
    bad(field, value, `It must be a whole number from ${min} to ${max}.`);
  }
}

function sameLength(
  field: string,
  key: string,
  list: readonly string[],
  like: readonly string[],
): void {
  if (list.length !== like.length)
    bad(
      `${field}.${key}`,
      list,
      `Give one for each of the ${like.length} subnets, in their order.`,
    );
}

function bad(field: string, value: unknown, wayOut: string): never {
  throw new EnvironmentError(
    'bad-value',
    `${field}: ${JSON.stringify(value) ?? 'nothing'} won't do. ${wayOut}`,
  );
}
