import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts a finding of cdk-nag on a construct and everything below it, with the reason.
 * `id` is the rule, with the finding in brackets where a rule has several: `IAM5[Resource::*]`.
 */
export function acknowledge(scope: IConstruct, id: string, reason: string): void {
  Validations.of(scope).acknowledge({ id: `AwsSolutions::AwsSolutions-${id}`, reason });
}
