import { Stack, Tags } from 'aws-cdk-lib';
import { CfnParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { Flow } from '../../functions/policy/types.ts';
import { ALL_FLOWS } from '../../functions/replay/outside/ssm-switch.ts';
import type { Environment } from '../environment-types.ts';

export interface KillSwitchProps {
  readonly environment: Environment;
  readonly flows: readonly Flow[];
}

/**
 * The parameter that stops all replay of an environment, `/layover/<environment>/replay/all`. Born `on`;
 * from then on it belongs to the people who throw it (`layover replay off`).
 *
 * CloudFormation writes a parameter only when its definition changes, and then with the definition's
 * value: a switch that is off would come on by itself. So nothing here may ever change, tags of ours
 * included; a test holds it still. A flow's own switch is made by whoever throws it.
 */
export class KillSwitch extends Construct {
  /** Parameters `<prefix>/all` and `<prefix>/<flow>`. */
  readonly prefix: string;
  /** Of all of them, those included that nobody has made yet. */
  readonly arns: readonly string[];

  constructor(scope: Construct, id: string, { environment, flows }: KillSwitchProps) {
    super(scope, id);
    this.prefix = `/layover/${environment.name}/replay`;
    const parameter = new CfnParameter(this, 'All', {
      name: `${this.prefix}/${ALL_FLOWS}`,
      type: 'String',
      value: 'on',
    });
    Tags.of(parameter).remove('layover:environment');
    this.arns = [ALL_FLOWS, ...flows.map((flow) => flow.name)].map((name) =>
      Stack.of(this).formatArn({
        service: 'ssm',
        resource: 'parameter',
        resourceName: `${this.prefix.slice(1)}/${name}`,
      }),
    );
  }
}
