import { Tags } from 'aws-cdk-lib';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct, type IDependable } from 'constructs';
import type { Flow } from '../../functions/policy/types.ts';
import type { Topology } from '../../functions/topology/types.ts';
import { flowPermissions, type Permissions, sharedPermissions } from '../broker-permissions.ts';
import type { Bundles } from '../bundles.ts';
import { EnvironmentError } from '../environment-error.ts';
import type { Environment, UserSettings } from '../environment-types.ts';
import { namedOutput } from '../named-output.ts';
import { checkQueueQuota } from '../queue-quota.ts';
import { Alarms } from './alarms.ts';
import type { Broker } from './broker.ts';
import { BrokerUser } from './broker-user.ts';
import { ClaimsTable } from './claims-table.ts';
import { FlowConsumer } from './flow-consumer.ts';
import { FlowDashboard } from './flow-dashboard.ts';
import { GivenBroker } from './given-broker.ts';
import { MappingTeardown } from './mapping-teardown.ts';
import { Network } from './network.ts';
import { NewBroker } from './new-broker.ts';
import { Notifications } from './notifications.ts';
import { Probe } from './probe.ts';
import { Replay } from './replay.ts';
import { ReplayTables } from './replay-tables.ts';
import { SavedQueries } from './saved-queries.ts';
import { TopologyResource } from './topology-resource.ts';

export interface LayoverProps {
  readonly environment: Environment;
  readonly flows: readonly Flow[];
  /** Of those flows. */
  readonly topology: Topology;
  readonly bundles: Bundles;
}

interface User {
  readonly secret: ISecret;
  readonly permissions: Permissions;
}

/** Everything of one environment, in whatever stack it is put: the part of this product an app adopts. */
export class Layover extends Construct {
  readonly #environment: Environment;

  constructor(scope: Construct, id: string, props: LayoverProps) {
    super(scope, id);
    const { environment, flows, topology, bundles } = props;
    this.#environment = environment;
    refuseUnknownFlows(environment, flows);
    checkQueueQuota(environment, topology.queues);
    Tags.of(this).add('layover:environment', environment.name);

    const network = new Network(this, 'Network', { environment });
    const broker = this.#broker(network);
    const claims = new ClaimsTable(this, 'Claims', { environment });
    const tables = new ReplayTables(this, 'ReplayTables', { environment });
    const permissions = sharedPermissions(topology, environment.topology === 'apply');
    const probeUser = this.#user('probe', permissions.probe);
    const replayUser = this.#user('replay', permissions.replay);
    const viewUser = this.#user('replay-view', permissions['replay-view']);
    const flowUsers = flows.map((flow) => ({
      flow,
      user: this.#user(flow.name, flowPermissions(topology, flow.name)),
    }));
    const after: IDependable[] = [];
    if (environment.broker.kind === 'new') {
      const options = { environment, broker, network, bundle: bundles.teardown };
      after.push(new MappingTeardown(this, 'Teardown', options).resource);
    }
    if (environment.topology !== 'definitions') {
      const made = environment.users.kind === 'made';
      const shared = [probeUser, replayUser, viewUser];
      const users = made ? [...shared, ...flowUsers.map(({ user }) => user)] : [];
      const { topology: bundle } = bundles;
      const options = { environment, topology, users, broker, network, bundle };
      after.push(new TopologyResource(this, 'Topology', options).resource);
    }
    const consumers = flowUsers.map(
      ({ flow, user }) =>
        new FlowConsumer(this, `Flow ${flow.name}`, {
          environment,
          flow,
          topology,
          network,
          broker,
          claims,
          replay: tables,
          after,
          userSecret: user.secret,
          bundle: bundleOf(bundles, flow),
        }),
    );
    const mappings = Object.fromEntries(consumers.map((made) => [made.flow, made.mappings]));
    new Probe(this, 'Probe', {
      environment,
      network,
      broker,
      claims,
      after,
      userSecret: probeUser.secret,
      bundle: bundles.probe,
      mappings,
    });
    const replay = new Replay(this, 'Replay', {
      environment,
      flows,
      network,
      broker,
      claims,
      tables,
      after,
      mappings,
      bundles: bundles.replay,
      users: { moves: replayUser.secret, looks: viewUser.secret },
    });
    const notifications = new Notifications(this, 'Notifications', { environment });
    const alarms = new Alarms(this, 'Alarms', { environment, flows, broker, notifications });
    new FlowDashboard(this, 'Overview', { environment, flows, alarms });
    new SavedQueries(this, 'Queries', {
      environment,
      logGroups: [
        ...consumers.map((made) => made.function),
        replay.functions.schedule,
        replay.functions.run,
      ].map(({ logGroup }) => logGroup as ILogGroup),
    });
    namedOutput(this, 'BrokerHost', { value: broker.host });
    namedOutput(this, 'BrokerAdminSecret', { value: broker.adminSecret.secretArn });
  }

  #broker(network: Network): Broker {
    const { broker: settings } = this.#environment;
    return settings.kind === 'new'
      ? new NewBroker(this, 'Broker', { environment: this.#environment, settings, network })
      : new GivenBroker(this, 'Broker', { settings, network });
  }

  #user(name: string, permissions: Permissions): User {
    const { users, name: environment } = this.#environment;
    if (users.kind === 'made') {
      const username = `layover-${environment}-${name}`;
      const { secret } = new BrokerUser(this, `User ${name}`, { username });
      return { secret: secret as ISecret, permissions };
    }
    const arn = givenSecret(users, name);
    if (arn === undefined) {
      throw new EnvironmentError(
        'bad-value',
        `${environment}.users.flowSecretArns.${name}: nothing won't do. Give the secret of the flow's user, or set users.kind to 'made'.`,
      );
    }
    return { secret: Secret.fromSecretCompleteArn(this, `User ${name}`, arn), permissions };
  }
}

function givenSecret(
  users: Extract<UserSettings, { kind: 'given' }>,
  name: string,
): string | undefined {
  switch (name) {
    case 'probe':
      return users.probeSecretArn;
    case 'replay':
      return users.replaySecretArn;
    case 'replay-view':
      return users.replayViewSecretArn ?? users.replaySecretArn;
    default:
      return users.flowSecretArns[name];
  }
}

/** Parts of names the deployment uses itself: `layover-<environment>-<part>`. */
const RESERVED = [
  // The kill switch of all flows.
  'all',
  'broker',
  'claims',
  'flows',
  'page',
  'probe',
  'replay',
  'replay-audit',
  'replay-bodies',
  'replay-configure',
  'replay-run',
  'replay-schedule',
  'replay-view',
  'teardown',
  'teardown-provider',
  'ticket',
  'topology',
  'topology-provider',
];

function bundleOf(bundles: Bundles, flow: Flow): string {
  const bundle = bundles.flows[flow.name];
  if (bundle === undefined) throw new Error(`The flow '${flow.name}' has not been bundled.`);
  return bundle;
}

function refuseUnknownFlows(environment: Environment, flows: readonly Flow[]): void {
  const names = flows.map(({ name }) => name);
  const taken = names.find((name) => RESERVED.includes(name));
  if (taken !== undefined) {
    throw new EnvironmentError(
      'unknown-flow',
      `functions/flows/${taken}: the deployment has something of that name itself. Rename the flow; taken are ${RESERVED.join(', ')}.`,
    );
  }
  const secrets = environment.users.kind === 'given' ? environment.users.flowSecretArns : {};
  for (const [key, table] of [
    ['flows', environment.flows],
    ['users.flowSecretArns', secrets],
  ] as const) {
    for (const flow of Object.keys(table)) {
      if (names.includes(flow)) continue;
      throw new EnvironmentError(
        'unknown-flow',
        `${environment.name}.${key}.${flow}: there is no such flow. There are ${names.join(', ')}.`,
      );
    }
  }
}
