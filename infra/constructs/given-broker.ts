import { type ISecurityGroup, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { BrokerSettings } from '../environment-types.ts';
import { namedOutput } from '../named-output.ts';
import { AMQPS_PORT, type Broker, MANAGEMENT_PORT } from './broker.ts';
import type { Network } from './network.ts';

export interface GivenBrokerProps {
  readonly settings: Extract<BrokerSettings, { kind: 'given' }>;
  readonly network: Network;
}

/** A broker that exists already. Its security group is opened by us or, as an output, by its owner. */
export class GivenBroker extends Construct implements Broker {
  readonly arn: string;
  readonly name: string;
  readonly host: string;
  readonly securityGroup: ISecurityGroup;
  readonly adminSecret: ISecret;

  constructor(scope: Construct, id: string, { settings, network }: GivenBrokerProps) {
    super(scope, id);
    this.arn = settings.arn;
    this.name = settings.arn.split(':')[6] ?? '';
    this.host = settings.host;
    this.adminSecret = Secret.fromSecretCompleteArn(this, 'Secret', settings.secretArn);
    const write = settings.rules === 'write';
    this.securityGroup = SecurityGroup.fromSecurityGroupId(
      this,
      'Group',
      settings.securityGroupId,
      { mutable: write },
    );
    network.allowMappings(this.securityGroup);
    const rules = [
      { from: network.functions, port: AMQPS_PORT, what: 'AMQP from Layover functions' },
      { from: network.functions, port: MANAGEMENT_PORT, what: 'management from Layover functions' },
      { from: this.securityGroup, port: AMQPS_PORT, what: 'AMQP from event source mappings' },
    ];
    if (write) {
      for (const { from, port, what } of rules) {
        this.securityGroup.addIngressRule(from, Port.tcp(port), what);
      }
      return;
    }
    namedOutput(this, 'RulesToAdd', {
      description: "Ingress rules the owner of the broker's security group must add",
      value: rules
        .map(({ from, port, what }) => `tcp ${port} from ${from.securityGroupId} (${what})`)
        .join('; '),
    });
  }
}
