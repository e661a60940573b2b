import { type CfnElement, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Provider } from 'aws-cdk-lib/custom-resources';
import { Construct, type IDependable } from 'constructs';
import type { Environment } from '../environment-types.ts';
import { acknowledge } from '../nag.ts';
import { removalPolicy, resourceName, retention } from '../settings.ts';
import type { Broker } from './broker.ts';
import type { Network } from './network.ts';

export interface MappingTeardownProps {
  readonly environment: Environment;
  readonly broker: Broker;
  readonly network: Network;
  readonly bundle: string;
}

/** What Lambda lets a function run for; the Provider framework waits 15 minutes. */
const TIMEOUT_MINUTES = 14;

/**
 * Stands between the mappings and the network when a stack is deleted: mappings depend on it, so
 * they go first, then it waits for their network interfaces, and only then groups and subnets go.
 * It runs outside the network it watches being taken apart.
 */
export class MappingTeardown extends Construct {
  /** What mappings must depend on. */
  readonly resource: IDependable;

  constructor(scope: Construct, id: string, props: MappingTeardownProps) {
    super(scope, id);
    const { environment, broker, network } = props;
    const logGroup = (name: string) =>
      new LogGroup(this, name, {
        logGroupName: `/aws/lambda/${resourceName(environment, name)}`,
        retention: retention(environment.logRetentionDays),
        removalPolicy: removalPolicy(environment),
      });
    const logs = logGroup('teardown');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logs.logGroupArn],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({ actions: ['ec2:DescribeNetworkInterfaces'], resources: ['*'] }),
    );
    acknowledge(role, 'IAM5[Resource::*]', 'Listing network interfaces takes no resource.');
    const waiting = new LambdaFunction(this, 'Handler', {
      functionName: resourceName(environment, 'teardown'),
      description: 'Waits for the network interfaces of deleted mappings',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(props.bundle),
      timeout: Duration.minutes(TIMEOUT_MINUTES),
      role,
      logGroup: logs,
    });
    const provider = new Provider(this, 'Provider', {
      onEventHandler: waiting as IFunction,
      logGroup: logGroup('teardown-provider'),
    });
    acknowledge(
      provider,
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
      "CDK gives it to the Provider framework's own function, which only writes logs.",
    );
    const functionId = Stack.of(this).getLogicalId(waiting.node.defaultChild as CfnElement);
    acknowledge(
      provider,
      `IAM5[Resource::<${functionId}.Arn>:*]`,
      'The framework invokes the one function given to it, in any version.',
    );
    const resource = new CustomResource(this, 'Resource', {
      serviceToken: provider.serviceToken,
      resourceType: 'Custom::LayoverMappingTeardown',
      properties: { SecurityGroupId: broker.securityGroup.securityGroupId },
    });
    resource.node.addDependency(network.vpc);
    this.resource = resource;
  }
}
