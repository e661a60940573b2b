import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { ReplaySettings } from '../settings.ts';
import { createAlarmStates } from './cloudwatch-alarms.ts';
import { createS3Exporter } from './export-s3.ts';
import { createLambdaPollers } from './lambda-pollers.ts';
import { createSsmSwitch } from './ssm-switch.ts';
import type { OutsideWorld } from './world.ts';

/** Switch in SSM, alarms of CloudWatch, exports in S3, pollers in Lambda. Nothing is asked before it is needed. */
export function createAwsWorld({
  switchPrefix,
  exportBucket,
  mappings,
}: ReplaySettings): OutsideWorld {
  const { killSwitch, setSwitch } = createSsmSwitch(new SSMClient({}), switchPrefix);
  const { pollers, setPollers } = createLambdaPollers(new LambdaClient({}), mappings);
  return {
    killSwitch,
    setSwitch,
    pollers,
    setPollers,
    alarmStates: createAlarmStates(new CloudWatchClient({})),
    exporter:
      exportBucket === undefined
        ? { keep: () => Promise.reject(new Error('LAYOVER_EXPORT_BUCKET is not set')) }
        : createS3Exporter(new S3Client({}), exportBucket),
  };
}
