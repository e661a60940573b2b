import { Fn } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Environment } from '../environment-types.ts';
import { namedOutput } from '../named-output.ts';
import type { OperatorPart } from '../replay-parts.ts';
import { resourceName } from '../settings.ts';
import type { LayoverFunction } from './layover-function.ts';

export interface OperatorAccessProps {
  readonly environment: Environment;
  readonly part: OperatorPart;
  readonly function: LayoverFunction;
  /** What a person may do with it, for the policy's description. */
  readonly allows: string;
}

/**
 * A function's URL, which only signed requests pass (`AWS_IAM`), and the managed policy that lets a
 * person, a group or a permission set through: find the URL and call it, nothing else.
 *
 * Since October 2025 a function URL takes `lambda:InvokeFunction` beside `lambda:InvokeFunctionUrl`.
 * It is given for calls by URL alone: a direct invocation could claim any caller.
 */
export class OperatorAccess extends Construct {
  readonly policy: ManagedPolicy;

  constructor(scope: Construct, id: string, props: OperatorAccessProps) {
    super(scope, id);
    const { environment, part, function: target } = props;
    target.alias.addFunctionUrl({ authType: FunctionUrlAuthType.AWS_IAM });
    const { functionArn } = target.function;
    // Whether AWS asks for the function or its alias depends on the action.
    const resources = [functionArn, Fn.join(':', [functionArn, target.alias.aliasName])];
    const name = resourceName(environment, `replay-${part}`);
    this.policy = new ManagedPolicy(this, 'Policy', {
      // By name, so that permission sets of other accounts can refer to it.
      managedPolicyName: name,
      description: `Layover, ${environment.name}: ${props.allows}`,
      statements: [
        new PolicyStatement({ actions: ['lambda:GetFunctionUrlConfig'], resources }),
        new PolicyStatement({
          actions: ['lambda:InvokeFunctionUrl'],
          resources,
          conditions: { StringEquals: { 'lambda:FunctionUrlAuthType': 'AWS_IAM' } },
        }),
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources,
          conditions: { Bool: { 'lambda:InvokedViaFunctionUrl': 'true' } },
        }),
      ],
    });
    namedOutput(this, `Replay${part[0]?.toUpperCase()}${part.slice(1)}PolicyArn`, {
      description: `Attach to whoever ${props.allows}`,
      value: this.policy.managedPolicyArn,
    });
  }
}
