import { type CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { inItems } from '../selection.ts';
import type { OutsideWorld } from './world.ts';

/** DescribeAlarms takes so many names. */
const NAMES_PER_REQUEST = 100;

/** States of metric and composite alarms by name; one that doesn't exist is left out, and so not quiet. */
export function createAlarmStates(client: CloudWatchClient): OutsideWorld['alarmStates'] {
  return async (names) => {
    const parts = await Promise.all(
      inItems(names, NAMES_PER_REQUEST).map(async (AlarmNames) => {
        const AlarmTypes = ['MetricAlarm', 'CompositeAlarm'] as const;
        const answer = await client.send(
          new DescribeAlarmsCommand({
            AlarmNames,
            AlarmTypes: [...AlarmTypes],
            MaxRecords: NAMES_PER_REQUEST,
          }),
        );
        return [...(answer.MetricAlarms ?? []), ...(answer.CompositeAlarms ?? [])];
      }),
    );
    return parts.flat().map(({ AlarmName, StateValue }) => ({
      name: AlarmName ?? '',
      state: StateValue ?? 'unknown',
    }));
  };
}
