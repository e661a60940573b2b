import { Stack } from 'aws-cdk-lib';
import type { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/**
 * The ids of each flow's mappings as JSON, for `LAYOVER_MAPPINGS`. They are known at deployment only,
 * so the text is put together by CloudFormation.
 */
export function mappingIds(
  scope: IConstruct,
  mappings: Readonly<Record<string, readonly CfnEventSourceMapping[]>>,
): string {
  return Stack.of(scope).toJsonString(
    Object.fromEntries(
      Object.entries(mappings).map(([flow, own]) => [flow, own.map(({ ref }) => ref)]),
    ),
  );
}
