import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { acknowledge } from '../nag.ts';

export interface BrokerUserProps {
  readonly username: string;
}

/**
 * How passwords are made. Changing anything here makes CloudFormation generate new passwords that
 * the broker doesn't know; a test holds it still. Amazon MQ wants 12 characters or more and none of
 * `,`, `:`, `=`; letters and digits alone are also safe in URLs.
 */
export const PASSWORD = { passwordLength: 40, excludePunctuation: true } as const;

/**
 * A user of the broker as a secret with `username` and `password`, which is also the form event
 * source mappings read. There is no rotation schedule: a password changes by command, at the broker
 * first.
 */
export class BrokerUser extends Construct {
  readonly username: string;
  readonly secret: Secret;

  constructor(scope: Construct, id: string, { username }: BrokerUserProps) {
    super(scope, id);
    this.username = username;
    this.secret = new Secret(this, 'Secret', {
      description: `User ${username} of the broker`,
      generateSecretString: {
        secretStringTemplate: JSON.stringify({ username }),
        generateStringKey: 'password',
        ...PASSWORD,
      },
    });
    acknowledge(
      this,
      'SMG4',
      'Amazon MQ does not take a password from CloudFormation: a rotation that only changes the secret locks everyone out. Passwords change by command, at the broker first.',
    );
  }
}
