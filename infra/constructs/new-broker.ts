import { Aws, Fn, RemovalPolicies } from 'aws-cdk-lib';
import { CfnBroker } from 'aws-cdk-lib/aws-amazonmq';
import { Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ResourcePolicy } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { BrokerSettings, Environment } from '../environment-types.ts';
import { removalPolicy, resourceName } from '../settings.ts';
import { AMQPS_PORT, type Broker, MANAGEMENT_PORT } from './broker.ts';
import { BrokerUser } from './broker-user.ts';
import type { Network } from './network.ts';

export interface NewBrokerProps {
  readonly environment: Environment;
  readonly settings: Extract<BrokerSettings, { kind: 'new' }>;
  readonly network: Network;
}

/** A private RabbitMQ broker: TLS only, encrypted, with its administrator in Secrets Manager. */
export class NewBroker extends Construct implements Broker {
  readonly arn: string;
  readonly name: string;
  readonly host: string;
  readonly securityGroup: SecurityGroup;
  readonly adminSecret: ISecret;

  constructor(scope: Construct, id: string, { environment, settings, network }: NewBrokerProps) {
    super(scope, id);
    this.name = resourceName(environment, 'broker');
    this.securityGroup = new SecurityGroup(this, 'Group', {
      vpc: network.vpc,
      description: `Broker of ${environment.name} and the pollers that read it`,
    });
    // The pollers run in the broker's own group, so it must let itself in.
    const members = [
      [this.securityGroup, 'pollers of the event source mappings'],
      [network.functions, 'functions'],
    ] as const;
    for (const [group, what] of members) {
      this.securityGroup.addIngressRule(group, Port.tcp(AMQPS_PORT), `AMQP from ${what}`);
    }
    this.securityGroup.addIngressRule(
      network.functions,
      Port.tcp(MANAGEMENT_PORT),
      'management API from functions',
    );
    network.allowMappings(this.securityGroup);

    const admin = new BrokerUser(this, 'Admin', { username: 'layover-admin' });
    this.adminSecret = admin.secret as ISecret;
    const logs = this.#allowLogs();
    const broker = new CfnBroker(this, 'Broker', {
      brokerName: this.name,
      engineType: 'RABBITMQ',
      engineVersion: settings.engine,
      hostInstanceType: settings.instanceType,
      deploymentMode: settings.deployment === 'cluster' ? 'CLUSTER_MULTI_AZ' : 'SINGLE_INSTANCE',
      publiclyAccessible: false,
      subnetIds: network.subnets
        .slice(0, settings.deployment === 'cluster' ? 3 : 1)
        .map(({ subnetId }) => subnetId),
      securityGroups: [this.securityGroup.securityGroupId],
      encryptionOptions: { useAwsOwnedKey: true },
      // Required to be on from RabbitMQ 3.13: patch versions, inside the maintenance window.
      autoMinorVersionUpgrade: true,
      maintenanceWindowStartTime: {
        dayOfWeek: settings.maintenance.day,
        timeOfDay: settings.maintenance.timeUtc,
        timeZone: 'UTC',
      },
      logs: { general: true },
      // Never change this: Amazon MQ takes one user at creation and no other way to change it.
      users: [
        {
          username: admin.username,
          password: this.adminSecret.secretValueFromJson('password').unsafeUnwrap(),
        },
      ],
    });
    broker.node.addDependency(logs);
    this.arn = broker.attrArn;
    // amqps://<host>:5671; a cluster has one endpoint as well.
    this.host = Fn.select(
      0,
      Fn.split(':', Fn.select(2, Fn.split('/', Fn.select(0, broker.attrAmqpEndpoints)))),
    );
    if (environment.removal === 'retain')
      RemovalPolicies.of(this).apply(removalPolicy(environment));
  }

  /** Amazon MQ writes its logs as itself, which the account must allow. */
  #allowLogs(): ResourcePolicy {
    return new ResourcePolicy(this, 'Logs', {
      policyStatements: [
        new PolicyStatement({
          principals: [new ServicePrincipal('mq.amazonaws.com')],
          actions: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
          resources: [
            `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:/aws/amazonmq/*`,
          ],
          conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
        }),
      ],
    });
  }
}
