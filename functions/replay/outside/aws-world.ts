import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { ReplaySettings } from '../settings.ts';
import { createAlarmStates } from './cloudwatch-alarms.ts';
import { createS3Exporter } from './export-s3.ts';
import { createSsmSwitch } from './ssm-switch.ts';
import type { OutsideWorld } from './world.ts';

/** Switch in SSM, alarms of CloudWatch, exports in S3. Nothing is asked before it is needed. */
export function createAwsWorld({ switchPrefix, exportBucket }: ReplaySettings): OutsideWorld {
  const { killSwitch, setSwitch } = createSsmSwitch(new SSMClient({}), switchPrefix);
  return {
    killSwitch,
    setSwitch,
    alarmStates: createAlarmStates(new CloudWatchClient({})),
    exporter:
      exportBucket === undefined
        ? { keep: () => Promise.reject(new Error('LAYOVER_EXPORT_BUCKET is not set')) }
        : createS3Exporter(new S3Client({}), exportBucket),
  };
}
