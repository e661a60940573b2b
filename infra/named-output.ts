import { CfnOutput, type CfnOutputProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * An output of the stack that is found by exactly this name, wherever in the tree it is made: CDK would
 * add the path and a hash. So a stack takes one `Layover`; a second one is refused at synth.
 */
export function namedOutput(scope: Construct, name: string, props: CfnOutputProps): void {
  new CfnOutput(scope, name, props).overrideLogicalId(name);
}
