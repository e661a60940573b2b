import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct, type IDependable } from 'constructs';
import type { Environment } from '../environment-types.ts';
import { resourceName } from '../settings.ts';
import type { LayoverFunction } from './layover-function.ts';

export interface ReplayScheduleProps {
  readonly environment: Environment;
  readonly function: LayoverFunction;
  /** The function's user must exist before it first runs. */
  readonly after: readonly IDependable[];
}

/** How often automatic replay looks. */
export const EVERY_MINUTES = 5;

/**
 * Calls the function every five minutes. Two calls may overlap: what keeps them apart is the lock and
 * the lease of each parking queue. Nothing is tried again, since the next call does the same.
 */
export class ReplaySchedule extends Construct {
  constructor(scope: Construct, id: string, props: ReplayScheduleProps) {
    super(scope, id);
    const { environment, function: target } = props;
    const role = new Role(this, 'Role', {
      description: `Calls ${target.name}`,
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [target.alias.functionArn],
      }),
    );
    // Scheduler calls without waiting: Lambda itself would call a function that failed twice more.
    target.alias.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: Duration.minutes(EVERY_MINUTES),
    });
    const schedule = new CfnSchedule(this, 'Schedule', {
      name: resourceName(environment, 'replay'),
      description: `Runs ${target.name}`,
      scheduleExpression: `rate(${EVERY_MINUTES} minutes)`,
      flexibleTimeWindow: { mode: 'OFF' },
      state: environment.replay === 'off' ? 'DISABLED' : 'ENABLED',
      target: {
        arn: target.alias.functionArn,
        roleArn: role.roleArn,
        retryPolicy: { maximumRetryAttempts: 0, maximumEventAgeInSeconds: EVERY_MINUTES * 60 },
      },
    });
    schedule.node.addDependency(role, ...props.after);
  }
}
