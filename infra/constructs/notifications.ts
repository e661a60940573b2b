import { Annotations, Aws, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Environment } from '../environment-types.ts';
import { resourceName } from '../settings.ts';

export interface NotificationsProps {
  readonly environment: Environment;
}

/** A topic per severity, encrypted with a key CloudWatch may use: with the AWS-managed key its messages never arrive. */
export class Notifications extends Construct {
  readonly page: Topic;
  readonly ticket: Topic;

  constructor(scope: Construct, id: string, { environment }: NotificationsProps) {
    super(scope, id);
    const key = new Key(this, 'Key', {
      description: `Alarm topics of ${environment.name}`,
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'CloudWatchAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    this.page = this.#topic('page', key as IKey, environment);
    this.ticket = this.#topic('ticket', key as IKey, environment);
    this.#warnOfSilence(environment);
  }

  #warnOfSilence({ name, alarms }: Environment): void {
    const silent = (['page', 'ticket'] as const).filter((to) => alarms[to].length === 0);
    if (silent.length === 0) return;
    Annotations.of(this).addWarningV2(
      'layover:nobody-is-told',
      `Nobody is told of alarms in ${name}: ${silent.map((to) => `alarms.${to}`).join(' and ')} of infra/environments.ts ${silent.length === 1 ? 'has' : 'have'} no address. Give an e-mail address or an https:// address, or subscribe to the topic yourself.`,
    );
  }

  #topic(severity: 'page' | 'ticket', masterKey: IKey, environment: Environment): Topic {
    const topic = new Topic(this, severity, {
      topicName: resourceName(environment, severity),
      masterKey,
      enforceSSL: true,
    });
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'CloudWatchAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
    for (const recipient of environment.alarms[severity]) {
      topic.addSubscription(
        recipient.startsWith('https://')
          ? new UrlSubscription(recipient)
          : new EmailSubscription(recipient),
      );
    }
    return topic;
  }
}
