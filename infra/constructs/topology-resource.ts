import { type CfnElement, CustomResource, Stack } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Provider } from 'aws-cdk-lib/custom-resources';
import { Construct, type IDependable } from 'constructs';
import type {
  ManagedUser,
  ResourceProperties,
} from '../../functions/topology/resource-properties.ts';
import type { Topology } from '../../functions/topology/types.ts';
import type { Permissions } from '../broker-permissions.ts';
import type { Environment } from '../environment-types.ts';
import { acknowledge } from '../nag.ts';
import { removalPolicy, resourceName, retention } from '../settings.ts';
import { AMQPS_PORT, type Broker } from './broker.ts';
import { LayoverFunction } from './layover-function.ts';
import type { Network } from './network.ts';

export interface TopologyResourceProps {
  readonly environment: Environment;
  readonly topology: Topology;
  /** Users to make, with what each may touch. */
  readonly users: readonly { readonly secret: ISecret; readonly permissions: Permissions }[];
  readonly broker: Broker;
  readonly network: Network;
  readonly bundle: string;
}

/** Creating vhost, users and a hundred queues takes seconds; a broker that just restarts, minutes. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Applies (or checks) the topology whenever it changes, from inside the network. The Provider
 * framework answers CloudFormation from outside it, so that a network without a way out can't hang
 * the stack. Deleting the resource touches no queue.
 */
export class TopologyResource extends Construct {
  readonly resource: IDependable;
  readonly function: LayoverFunction;

  constructor(scope: Construct, id: string, props: TopologyResourceProps) {
    super(scope, id);
    const { environment, broker, users } = props;
    this.function = new LayoverFunction(this, 'Handler', {
      environment,
      network: props.network,
      part: 'topology',
      description: 'Declares exchanges, queues and users of the flows; deletes nothing',
      bundle: props.bundle,
      memoryMiB: 512,
      timeoutMs: TIMEOUT_MS,
      variables: {
        LAYOVER_ENVIRONMENT: environment.name,
        LAYOVER_BROKER_HOST: broker.host,
        LAYOVER_BROKER_PORT: String(AMQPS_PORT),
        LAYOVER_BROKER_VHOST: environment.vhost,
        LAYOVER_BROKER_SECRET_ARN: broker.adminSecret.secretArn,
      },
    });
    const secrets = [broker.adminSecret, ...users.map(({ secret }) => secret)];
    for (const secret of secrets) secret.grantRead(this.function.role);

    const provider = new Provider(this, 'Provider', {
      onEventHandler: this.function.function as IFunction,
      logGroup: new LogGroup(this, 'Log', {
        logGroupName: `/aws/lambda/${resourceName(environment, 'topology-provider')}`,
        retention: retention(environment.logRetentionDays),
        removalPolicy: removalPolicy(environment),
      }),
    });
    const functionId = Stack.of(this).getLogicalId(
      this.function.function.node.defaultChild as CfnElement,
    );
    acknowledge(
      provider,
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
      "CDK gives it to the Provider framework's own function, which only writes logs.",
    );
    acknowledge(
      provider,
      `IAM5[Resource::<${functionId}.Arn>:*]`,
      'The framework invokes the one function given to it, in any version.',
    );
    const properties: ResourceProperties = {
      Vhost: environment.vhost,
      Mode: environment.topology === 'apply' ? 'apply' : 'check',
      Model: JSON.stringify(props.topology),
      Users: this.#users(users),
    };
    const resource = new CustomResource(this, 'Resource', {
      serviceToken: provider.serviceToken,
      resourceType: 'Custom::LayoverTopology',
      properties: { ...properties },
    });
    // On an update the new code must be there first; on a rollback the old one.
    resource.node.addDependency(this.function);
    this.resource = resource;
  }

  /** Secret ARNs are known at deployment only, so the text is put together by CloudFormation. */
  #users(users: TopologyResourceProps['users']): string {
    return Stack.of(this).toJsonString(
      users.map(
        ({ secret, permissions }): ManagedUser => ({ secretArn: secret.secretArn, ...permissions }),
      ),
    );
  }
}
