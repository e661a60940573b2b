import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
  Metric,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { METRICS, NAMESPACE } from '../../functions/consumer/metrics.ts';
import type { Flow } from '../../functions/policy/types.ts';
import { PROBE_METRICS } from '../../functions/probe/probe-metrics.ts';
import { GUARDS } from '../../functions/replay/guards/types.ts';
import { REPLAY_METRICS } from '../../functions/replay/metrics.ts';
import type { Environment } from '../environment-types.ts';
import { resourceName } from '../settings.ts';
import type { Alarms } from './alarms.ts';

export interface FlowDashboardProps {
  readonly environment: Environment;
  readonly flows: readonly Flow[];
  readonly alarms: Alarms;
}

/** CloudWatch shows so many in one widget. */
const ALARMS_PER_WIDGET = 100;

/** One page: what is in alarm, then for each flow what came, what waits and what is parked. */
export class FlowDashboard extends Construct {
  constructor(scope: Construct, id: string, { environment, flows, alarms }: FlowDashboardProps) {
    super(scope, id);
    const dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: resourceName(environment, 'flows'),
      defaultInterval: Duration.hours(3),
    });
    for (let from = 0; from < alarms.all.length; from += ALARMS_PER_WIDGET) {
      dashboard.addWidgets(
        new AlarmStatusWidget({
          title: 'Alarms',
          width: 24,
          height: 6,
          alarms: alarms.all.slice(from, from + ALARMS_PER_WIDGET) as unknown as IAlarm[],
        }),
      );
    }
    for (const flow of flows) {
      dashboard.addWidgets(
        new TextWidget({
          width: 24,
          height: 2,
          markdown: `## ${flow.name}\n${flow.owner} · ${flow.impact} · [runbook](${flow.runbook})`,
        }),
      );
      const graph = (title: string, names: readonly string[], statistic: string) =>
        new GraphWidget({
          title,
          width: 8,
          left: names.map((name) => flowMetric(environment, flow, name, statistic)),
        });
      const { handled, done, retried, parked, discarded, duplicates, settleFailures } = METRICS;
      const { workDepth, isolatedDepth, waitDepth, parkedDepth } = PROBE_METRICS;
      const { mappingsNotEnabled, mappingProblems } = PROBE_METRICS;
      dashboard.addWidgets(
        graph('Settled', [handled, done, retried, parked, discarded, duplicates], 'Sum'),
        graph('Depth', [workDepth, waitDepth, isolatedDepth, parkedDepth], 'Maximum'),
        graph(
          'Trouble of our own',
          [
            settleFailures,
            METRICS.isolated,
            METRICS.deferred,
            METRICS.redelivered,
            mappingsNotEnabled,
            mappingProblems,
          ],
          'Sum',
        ),
      );
      const { moved, duplicates: known, superseded, discarded: removed } = REPLAY_METRICS;
      const { leftovers, regressions, wouldMove, skipped } = REPLAY_METRICS;
      dashboard.addWidgets(
        graph(
          'Replayed, by outcome',
          [moved, known, superseded, removed, leftovers, regressions, wouldMove],
          'Sum',
        ),
        new GraphWidget({
          title: 'Not replayed, by the guard that said no',
          width: 16,
          left: GUARDS.map((guard) => flowMetric(environment, flow, skipped, 'Sum', { guard })),
        }),
      );
    }
  }
}

function flowMetric(
  environment: Environment,
  flow: Flow,
  metricName: string,
  statistic: string,
  more: Readonly<Record<string, string>> = {},
): IMetric {
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    statistic,
    period: Duration.minutes(1),
    dimensionsMap: { environment: environment.name, flow: flow.name, ...more },
  });
}
