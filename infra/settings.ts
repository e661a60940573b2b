import { RemovalPolicy } from 'aws-cdk-lib';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Environment } from './environment-types.ts';

/** What becomes of a resource that holds messages, their history or access to them. */
export function removalPolicy(environment: Environment): RemovalPolicy {
  return environment.removal === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
}

/** Log retention; the members of the enum are the numbers of days. */
export function retention(days: number): RetentionDays {
  return days;
}

/** `layover-<environment>-<part>`: the names runbooks and commands rely on. */
export function resourceName(environment: Environment, part: string): string {
  return `layover-${environment.name}-${part}`;
}
