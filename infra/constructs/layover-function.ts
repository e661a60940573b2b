import { Aws, Duration } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Environment } from '../environment-types.ts';
import { acknowledge } from '../nag.ts';
import { removalPolicy, resourceName, retention } from '../settings.ts';
import type { Network } from './network.ts';

export interface LayoverFunctionProps {
  readonly environment: Environment;
  readonly network: Network;
  /** The function is `layover-<environment>-<part>`. */
  readonly part: string;
  readonly description: string;
  /** Folder with `index.mjs`, which exports `handler`. */
  readonly bundle: string;
  readonly memoryMiB: number;
  readonly timeoutMs: number;
  readonly variables: Readonly<Record<string, string>>;
}

/** What Lambda does with a role to attach a function, or a poller, to a network. None of them takes a resource. */
export const NETWORK_INTERFACE_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSecurityGroups',
  'ec2:DescribeSubnets',
  'ec2:DescribeVpcs',
] as const;

/** A function in the network: Node.js 24, its own role and log group, and an alias that names its version. */
export class LayoverFunction extends Construct {
  readonly name: string;
  readonly role: Role;
  readonly function: LambdaFunction;
  /** What mappings and schedules invoke, so that a header or a log line names the version that wrote it. */
  readonly alias: Alias;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: LayoverFunctionProps) {
    super(scope, id);
    const { environment, network } = props;
    this.name = resourceName(environment, props.part);
    this.logGroup = new LogGroup(this, 'Log', {
      logGroupName: `/aws/lambda/${this.name}`,
      retention: retention(environment.logRetentionDays),
      removalPolicy: removalPolicy(environment),
    });
    this.role = this.#role();
    this.function = new LambdaFunction(this, 'Function', {
      functionName: this.name,
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(props.bundle),
      memorySize: props.memoryMiB,
      timeout: Duration.millis(props.timeoutMs),
      environment: { ...props.variables },
      role: this.role,
      logGroup: this.logGroup,
      vpc: network.vpc,
      vpcSubnets: { subnets: [...network.subnets] },
      securityGroups: [network.functions],
    });
    this.alias = new Alias(this, 'Live', {
      aliasName: 'live',
      version: this.function.currentVersion as IVersion,
    });
  }

  /** Adds an action on one resource. */
  allow(actions: readonly string[], resources: readonly string[]): void {
    this.role.addToPolicy(
      new PolicyStatement({ actions: [...actions], resources: [...resources] }),
    );
  }

  #role(): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `Role of ${this.name}`,
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [this.logGroup.logGroupArn],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({ actions: [...NETWORK_INTERFACE_ACTIONS], resources: ['*'] }),
    );
    // Lambda needs them to attach the function; the function's own code must not have them.
    role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: [...NETWORK_INTERFACE_ACTIONS],
        resources: ['*'],
        conditions: {
          ArnEquals: {
            'lambda:SourceFunctionArn': `arn:${Aws.PARTITION}:lambda:${Aws.REGION}:${Aws.ACCOUNT_ID}:function:${this.name}`,
          },
        },
      }),
    );
    acknowledge(
      role,
      'IAM5[Resource::*]',
      'The actions that attach a function to a network take no resource; its own code is denied them.',
    );
    return role;
  }
}
