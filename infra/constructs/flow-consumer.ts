import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct, type IDependable } from 'constructs';
import type { Flow } from '../../functions/policy/types.ts';
import type { Topology } from '../../functions/topology/types.ts';
import type { Environment } from '../environment-types.ts';
import type { Broker } from './broker.ts';
import { AMQPS_PORT } from './broker.ts';
import type { ClaimsTable } from './claims-table.ts';
import { LayoverFunction } from './layover-function.ts';
import type { Network } from './network.ts';
import type { ReplayTables } from './replay-tables.ts';

export interface FlowConsumerProps {
  readonly environment: Environment;
  readonly flow: Flow;
  readonly topology: Topology;
  readonly bundle: string;
  readonly network: Network;
  readonly broker: Broker;
  readonly userSecret: ISecret;
  readonly claims: ClaimsTable;
  readonly replay: ReplayTables;
  /** Mappings are made after these: queues and user must exist, or the mapping fails for good. */
  readonly after: readonly IDependable[];
}

/** Lambda's default window, which can't be written as whole seconds and so is left out. */
const DEFAULT_WINDOW_MS = 500;

/** What the flow's functions read and write in the claims table. */
export const CLAIM_ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
] as const;

/** What it takes to write down how a replayed message ended. */
export const OUTCOME_ACTIONS = [
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:Query',
] as const;

/** A flow's function and its two mappings: the work queue in batches, the isolated queue one at a time. */
export class FlowConsumer extends Construct {
  /** Name of the flow. */
  readonly flow: string;
  readonly function: LayoverFunction;
  readonly mappings: readonly CfnEventSourceMapping[];

  constructor(scope: Construct, id: string, props: FlowConsumerProps) {
    super(scope, id);
    const { environment, flow, broker, claims, userSecret } = props;
    this.flow = flow.name;
    const override = environment.flows[flow.name] ?? {};
    this.function = new LayoverFunction(this, 'Handler', {
      environment,
      network: props.network,
      part: flow.name,
      description: `Handles ${flow.queue}: ${flow.impact}`.slice(0, 256),
      bundle: props.bundle,
      memoryMiB: override.memoryMiB ?? flow.lambda.memoryMiB,
      timeoutMs: override.timeoutMs ?? flow.lambda.timeoutMs,
      variables: {
        LAYOVER_ENVIRONMENT: environment.name,
        LAYOVER_BROKER_HOST: broker.host,
        LAYOVER_BROKER_PORT: String(AMQPS_PORT),
        LAYOVER_BROKER_VHOST: environment.vhost,
        LAYOVER_BROKER_SECRET_ARN: userSecret.secretArn,
        LAYOVER_TABLE: claims.table.tableName,
        LAYOVER_REPLAY_TABLE: props.replay.replay.tableName,
      },
    });
    this.function.allow(CLAIM_ACTIONS, [claims.table.tableArn]);
    this.function.role.addToPolicy(
      new PolicyStatement({
        actions: [...OUTCOME_ACTIONS],
        resources: [props.replay.replay.tableArn],
        // What became of a run's messages, and signatures of its own that failed again: no lease, no
        // budget, nothing of another flow's.
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['run#*', `relapse#${flow.name}`] },
        },
      }),
    );
    // The mapping reads the broker's address and the secret with the function's role.
    this.function.allow(['mq:DescribeBroker'], [broker.arn]);
    userSecret.grantRead(this.function.role);

    const isolated = props.topology.queues.find(
      ({ flow: name, role }) => name === flow.name && role === 'isolated',
    );
    if (isolated === undefined) {
      throw new Error(`The topology has no isolated queue for the flow '${flow.name}'.`);
    }
    const windowMs = override.batchWindowMs ?? flow.batch.windowMs;
    this.mappings = [
      this.#mapping(flow.queue, override.batchSize ?? flow.batch.size, windowMs, props),
      this.#mapping(isolated.name, 1, DEFAULT_WINDOW_MS, props),
    ];
  }

  #mapping(
    queue: string,
    batchSize: number,
    windowMs: number,
    { environment, flow, broker, userSecret, after }: FlowConsumerProps,
  ): CfnEventSourceMapping {
    const { vhost } = environment;
    // Neither queue nor virtual host can be changed in place, so both are in the logical id.
    const mapping = new CfnEventSourceMapping(this, `Mapping ${queue} of ${vhost}`, {
      functionName: this.function.alias.functionArn,
      eventSourceArn: broker.arn,
      queues: [queue],
      batchSize,
      ...(windowMs === DEFAULT_WINDOW_MS
        ? {}
        : { maximumBatchingWindowInSeconds: Duration.millis(windowMs).toSeconds() }),
      enabled: environment.flows[flow.name]?.enabled ?? environment.enabled,
      sourceAccessConfigurations: [
        { type: 'BASIC_AUTH', uri: userSecret.secretArn },
        { type: 'VIRTUAL_HOST', uri: vhost },
      ],
    });
    mapping.node.addDependency(this.function.role, ...after);
    return mapping;
  }
}
