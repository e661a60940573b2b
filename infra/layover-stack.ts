import { Fn, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Layover, type LayoverProps } from './constructs/layover.ts';

export interface LayoverStackProps extends StackProps, LayoverProps {}

/** The stack `layover-<environment>`. */
export class LayoverStack extends Stack {
  constructor(scope: Construct, id: string, props: LayoverStackProps) {
    super(scope, id, props);
    // A construct called Default leaves no trace in logical ids.
    new Layover(this, 'Default', props);
  }

  /**
   * Zones by position, also where account and region are set: by name CDK would look them up, which
   * needs credentials.
   */
  override get availabilityZones(): string[] {
    return [0, 1, 2].map((i) => Fn.select(i, Fn.getAzs()));
  }
}
