import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmRule,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarmAction,
  type IAlarmRule,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { NAMESPACE } from '../../functions/consumer/metrics.ts';
import type { Flow } from '../../functions/policy/types.ts';
import { PROBE_METRICS } from '../../functions/probe/probe-metrics.ts';
import { ALARMS, type AlarmSpec, type CommandNames } from '../alarm-table.ts';
import { alarmText } from '../alarm-text.ts';
import type { Environment } from '../environment-types.ts';
import { alarmPart } from '../quiet-alarms.ts';
import { resourceName } from '../settings.ts';
import type { Broker } from './broker.ts';
import type { Notifications } from './notifications.ts';

export interface AlarmsProps {
  readonly environment: Environment;
  readonly flows: readonly Flow[];
  readonly broker: Broker;
  readonly notifications: Notifications;
}

const COMPARISONS = {
  'at-least': ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  'at-most': ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
  below: ComparisonOperator.LESS_THAN_THRESHOLD,
} as const;

const MISSING = {
  notBreaching: TreatMissingData.NOT_BREACHING,
  ignore: TreatMissingData.IGNORE,
  breaching: TreatMissingData.BREACHING,
  missing: TreatMissingData.MISSING,
} as const;

/** CloudWatch takes 100 alarms and 10,240 characters in one composite; a name with its ARN has about 110. */
const MAX_CHILDREN = 80;

/** The alarms of the table for every flow, and a composite that pages once for all that page. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const all: Alarm[] = [];
    const paging: Alarm[] = [];
    for (const spec of ALARMS as readonly AlarmSpec[]) {
      for (const flow of spec.scope === 'flow' ? props.flows : [undefined]) {
        const alarm = this.#alarm(spec, props, flow);
        all.push(alarm);
        if (pages(spec, flow) && speaks(spec, props.environment, flow)) paging.push(alarm);
      }
    }
    this.all = all;
    for (let part = 1; paging.length > 0; part++) {
      this.#page(part, paging.splice(0, MAX_CHILDREN), props);
    }
  }

  /** One message for all of them: what pages is told once, however much of it is wrong. */
  #page(part: number, paging: readonly Alarm[], { environment, notifications }: AlarmsProps): void {
    const name = part === 1 ? 'page' : `page-${part}`;
    const page = new CompositeAlarm(this, name, {
      compositeAlarmName: resourceName(environment, name),
      alarmDescription: `Something that pages is wrong in ${environment.name}: see which of ${resourceName(environment, '*')} is in alarm. Runbooks: docs/runbooks/`,
      alarmRule: AlarmRule.anyOf(...(paging as unknown as IAlarmRule[])),
    });
    page.addAlarmAction(toTopic(notifications.page as ITopic));
    page.addOkAction(toTopic(notifications.page as ITopic));
  }

  #alarm(spec: AlarmSpec, { environment, broker, notifications }: AlarmsProps, flow?: Flow): Alarm {
    const part = alarmPart(spec, flow);
    const override = environment.flows[flow?.name ?? ''] ?? {};
    const alarm = new Alarm(this, part, {
      alarmName: resourceName(environment, part),
      alarmDescription: alarmText(spec, commandNames(environment, broker, flow), flow),
      metric: metricOf(spec, environment, broker, flow),
      threshold: spec.threshold({ environment, override, ...(flow ? { flow } : {}) }),
      comparisonOperator: COMPARISONS[spec.comparison],
      evaluationPeriods: spec.outOf,
      datapointsToAlarm: spec.periods,
      treatMissingData: MISSING[spec.missing.treat],
      actionsEnabled: speaks(spec, environment, flow),
    });
    // What pages goes out once, by the composite; its own message is the record.
    alarm.addAlarmAction(toTopic(notifications.ticket as ITopic));
    alarm.addOkAction(toTopic(notifications.ticket as ITopic));
    return alarm;
  }
}

/** Whether an alarm of this kind, for this flow, wakes someone. */
function pages(spec: AlarmSpec, flow: Flow | undefined): boolean {
  return spec.severity === 'page' || (spec.severity === 'critical' && flow?.critical === true);
}

/**
 * Whether it tells anybody. A flow that isn't switched on yet has mappings that don't read, by
 * intention, and a schedule that is off looks at nothing; what belongs to no flow always speaks.
 */
function speaks(spec: AlarmSpec, { flows, enabled, replay }: Environment, flow?: Flow): boolean {
  if (flow === undefined) return true;
  if (spec.ofSchedule && replay === 'off') return false;
  return flows[flow.name]?.enabled ?? enabled;
}

/** The metric an alarm watches, with the dimensions its producer prints. */
function metricOf(
  { signal, periodSeconds }: AlarmSpec,
  environment: Environment,
  broker: Broker,
  flow?: Flow,
): IMetric {
  const period = Duration.seconds(periodSeconds);
  const own = { environment: environment.name, ...(flow ? { flow: flow.name } : {}) };
  const functionName = resourceName(environment, flow?.name ?? '');
  switch (signal.kind) {
    case 'metric':
      return new Metric({
        namespace: signal.namespace,
        metricName: signal.name,
        statistic: signal.statistic,
        period,
        dimensionsMap:
          signal.namespace === 'AWS/Lambda'
            ? { FunctionName: functionName }
            : { ...own, ...signal.dimensions },
      });
    case 'broker-ratio': {
      const figure = (metricName: string, statistic: string) =>
        new Metric({
          namespace: 'AWS/AmazonMQ',
          metricName,
          statistic,
          period,
          dimensionsMap: { Broker: broker.name },
        });
      return new MathExpression({
        expression: 'figure / limit',
        label: `${signal.of} / ${signal.to}`,
        period,
        usingMetrics: {
          figure: figure(signal.of, signal.of.endsWith('Free') ? 'Minimum' : 'Maximum'),
          limit: figure(signal.to, 'Minimum'),
        },
      });
    }
    case 'depth-without-invocations':
      return new MathExpression({
        expression: 'IF(FILL(invocations, 0) == 0, depth, 0)',
        label: 'work depth while nothing was invoked',
        period,
        usingMetrics: {
          depth: new Metric({
            namespace: NAMESPACE,
            metricName: PROBE_METRICS.workDepth,
            statistic: 'Minimum',
            period,
            dimensionsMap: own,
          }),
          invocations: new Metric({
            namespace: 'AWS/Lambda',
            metricName: 'Invocations',
            statistic: 'Sum',
            period,
            dimensionsMap: { FunctionName: functionName },
          }),
        },
      });
  }
}

function commandNames(environment: Environment, broker: Broker, flow?: Flow): CommandNames {
  return {
    environment: environment.name,
    flow: flow?.name ?? '',
    functionName: resourceName(environment, flow?.name ?? ''),
    probeName: resourceName(environment, 'probe'),
    scheduleName: resourceName(environment, 'replay-schedule'),
    brokerName: broker.name,
  };
}

function toTopic(topic: ITopic): IAlarmAction {
  return new SnsAction(topic);
}
