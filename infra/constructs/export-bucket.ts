import { Duration } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Environment } from '../environment-types.ts';
import { acknowledge } from '../nag.ts';
import { namedOutput } from '../named-output.ts';
import { removalPolicy } from '../settings.ts';

export interface ExportBucketProps {
  readonly environment: Environment;
}

/** How long a discarded message can still be looked at, and sent again. */
export const KEEP_EXPORTS_DAYS = 365;
/** An export that somebody deleted can be brought back for so long. */
const KEEP_OLD_VERSIONS_DAYS = 30;

/** Where messages go before they are discarded, body and all: encrypted, over TLS only, never public. */
export class ExportBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { environment }: ExportBucketProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      versioned: true,
      lifecycleRules: [
        {
          expiration: Duration.days(KEEP_EXPORTS_DAYS),
          noncurrentVersionExpiration: Duration.days(KEEP_OLD_VERSIONS_DAYS),
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
      ],
      removalPolicy: removalPolicy(environment),
    });
    namedOutput(this, 'ReplayExports', {
      description: 'Where discarded messages are kept',
      value: this.bucket.bucketName,
    });
    acknowledge(
      this,
      'S1',
      'The audit says what was written and by whom; who reads is recorded by CloudTrail data events, which an account switches on for all its buckets, and a bucket for access logs would need the same care as this one.',
    );
  }
}
