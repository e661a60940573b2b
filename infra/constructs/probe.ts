import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnEventSourceMapping, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct, type IDependable } from 'constructs';
import { MEMORY_KEY } from '../../functions/probe/memory-store.ts';
import type { Environment } from '../environment-types.ts';
import { mappingIds } from '../mapping-ids.ts';
import { AMQPS_PORT, type Broker } from './broker.ts';
import type { ClaimsTable } from './claims-table.ts';
import { LayoverFunction } from './layover-function.ts';
import type { Network } from './network.ts';

export interface ProbeProps {
  readonly environment: Environment;
  readonly network: Network;
  readonly broker: Broker;
  readonly userSecret: ISecret;
  readonly claims: ClaimsTable;
  readonly bundle: string;
  /** Of each flow, whose state is asked for. */
  readonly mappings: Readonly<Record<string, readonly CfnEventSourceMapping[]>>;
  /** The probe's user must exist before it first runs. */
  readonly after: readonly IDependable[];
}

const TIMEOUT_MS = 30_000;

/** Looks at the broker's totals every minute; Amazon MQ on RabbitMQ 4 publishes none per queue. */
export class Probe extends Construct {
  readonly function: LayoverFunction;

  constructor(scope: Construct, id: string, props: ProbeProps) {
    super(scope, id);
    const { environment, broker, claims, userSecret, mappings } = props;
    this.function = new LayoverFunction(this, 'Handler', {
      environment,
      network: props.network,
      part: 'probe',
      description: 'Depth, age, stuck waits and mappings of every flow, once a minute',
      bundle: props.bundle,
      memoryMiB: 256,
      timeoutMs: TIMEOUT_MS,
      variables: {
        LAYOVER_ENVIRONMENT: environment.name,
        LAYOVER_BROKER_HOST: broker.host,
        LAYOVER_BROKER_PORT: String(AMQPS_PORT),
        LAYOVER_BROKER_VHOST: environment.vhost,
        LAYOVER_BROKER_SECRET_ARN: userSecret.secretArn,
        LAYOVER_TABLE: claims.table.tableName,
        LAYOVER_REMOVE_TIERS: String(environment.topology === 'apply'),
        LAYOVER_MAPPINGS: mappingIds(this, mappings),
      },
    });
    userSecret.grantRead(this.function.role);
    // Each by its own ARN. Listing them would take no resource, so it would show the whole account's;
    // the condition `lambda:FunctionArn` could narrow a wildcard, and is not needed beside an ARN.
    const arns = Object.values(mappings).flat();
    if (arns.length > 0) {
      this.function.allow(
        ['lambda:GetEventSourceMapping'],
        arns.map(({ attrEventSourceMappingArn }) => attrEventSourceMappingArn),
      );
    }
    this.function.role.addToPolicy(
      new PolicyStatement({
        actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
        resources: [claims.table.tableArn],
        // One item of its own; the claims are none of its business.
        conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [MEMORY_KEY] } },
      }),
    );
    const schedule = new Rule(this, 'EveryMinute', {
      description: `Runs ${this.function.name}`,
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [
        // The next minute is the retry; an old look would be printed as if it were new.
        new LambdaFunction(this.function.alias as IFunction, {
          retryAttempts: 0,
          maxEventAge: Duration.minutes(1),
        }),
      ],
    });
    schedule.node.addDependency(...props.after);
  }
}
