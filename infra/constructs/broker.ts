import type { ISecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';

/** AMQP over TLS. */
export const AMQPS_PORT = 5671;
/** The management API. */
export const MANAGEMENT_PORT = 443;

/** A broker as the rest of the stack sees it, new or given. */
export interface Broker {
  readonly arn: string;
  /** As CloudWatch's dimension `Broker` knows it. */
  readonly name: string;
  /** Host name without scheme and port, for AMQP and the management API alike. */
  readonly host: string;
  /** The group the broker and the pollers of its mappings are in. */
  readonly securityGroup: ISecurityGroup;
  /** User that may create users, virtual hosts and queues. */
  readonly adminSecret: ISecret;
}
