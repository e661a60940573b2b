import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { Counters, METRICS, NAMESPACE } from '../../functions/consumer/metrics.ts';
import type { Flow } from '../../functions/policy/types.ts';
import { mappingMetrics } from '../../functions/probe/mapping-readings.ts';
import { readFlows } from '../../functions/probe/readings.ts';
import { probeLines } from '../../functions/probe/run-probe.ts';
import { GUARDS } from '../../functions/replay/guards/types.ts';
import { observedLine, runLine, skippedLines, tickLine } from '../../functions/replay/metrics.ts';
import type { Run } from '../../functions/replay/types.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { ALARMS, type AlarmSpec } from '../../infra/alarm-table.ts';
import { alarmText } from '../../infra/alarm-text.ts';
import { newInput } from './inputs.ts';
import {
  FIRST_SYNTH_MS,
  FLOWS,
  mails,
  ofType,
  orders,
  type Synthesised,
  synthesise,
} from './stacks.ts';

interface AlarmProperties {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions?: readonly { Ref: string }[];
  readonly ActionsEnabled?: boolean;
  readonly TreatMissingData?: string;
  readonly Threshold: number;
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { Name: string; Value: unknown }[];
  readonly Metrics?: readonly { Expression?: string; MetricStat?: { Metric: MetricProperties } }[];
}
interface MetricProperties {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { Name: string; Value: unknown }[];
}

let synth: Synthesised;
beforeAll(() => {
  synth = synthesise(newInput);
}, FIRST_SYNTH_MS);

const alarms = (from = synth) =>
  ofType(from, 'AWS::CloudWatch::Alarm').map(
    ([, { Properties }]) => Properties as unknown as AlarmProperties,
  );
const alarm = (name: string, from = synth) => {
  const found = alarms(from).find(({ AlarmName }) => AlarmName === name);
  if (found === undefined) throw new Error(`There is no alarm ${name}.`);
  return found;
};
const specs: readonly AlarmSpec[] = ALARMS;

/** Every metric an alarm looks at. */
function metricsOf(properties: AlarmProperties): MetricProperties[] {
  if (properties.MetricName !== undefined) {
    return [properties as AlarmProperties & MetricProperties];
  }
  return (properties.Metrics ?? []).flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
}

const dimensionNames = (dimensions: readonly { Name: string }[]) =>
  dimensions
    .map(({ Name }) => Name)
    .sort()
    .join('+');

/** `Name of dimension+dimension` for everything our own code prints. */
function printed(): Set<string> {
  const counters = new Counters('dev', 'orders');
  for (const name of Object.values(METRICS)) counters.count(name);
  counters.countBy(METRICS.parked, 'class', 'security');
  const topology = buildTopology(FLOWS);
  const figures = new Map(
    topology.queues.map(({ name }) => [
      name,
      { messages: 1, deadLettering: 0, consumers: 1, published: 1, acknowledged: 0 },
    ]),
  );
  const { flows: seen } = readFlows(topology, figures, { parking: {}, retired: {} }, 0);
  const mapping = mappingMetrics([{ kind: 'known', id: 'a', state: 'Enabled' }]);
  const flows = seen.map((flow) => ({ ...flow, metrics: { ...flow.metrics, ...mapping } }));
  const where = { environment: 'dev', flow: 'orders' };
  const replay = [
    tickLine(where, false, 0),
    observedLine(where, 1, 0),
    runLine('dev', { flow: 'orders', counters: {}, leftovers: {} } as unknown as Run, 0),
    ...skippedLines(where, { batch: 1 }, 0),
  ];
  const lines = [...counters.lines(0), ...probeLines('dev', flows, 0), ...replay];
  return new Set(
    lines.flatMap((line) => {
      const { _aws } = JSON.parse(line) as {
        _aws: { CloudWatchMetrics: { Dimensions: string[][]; Metrics: { Name: string }[] }[] };
      };
      return _aws.CloudWatchMetrics.flatMap(({ Dimensions, Metrics }) =>
        Dimensions.flatMap((names) =>
          Metrics.map(({ Name }) => `${Name} of ${[...names].sort().join('+')}`),
        ),
      );
    }),
  );
}

/** What AWS publishes, on 3.13 and 4.x alike, with the dimension `Broker` or `FunctionName` alone. */
const AWS_METRICS: Readonly<Record<string, readonly string[]>> = {
  'AWS/AmazonMQ of Broker': [
    'RabbitMQMemUsed',
    'RabbitMQMemLimit',
    'RabbitMQDiskFree',
    'RabbitMQDiskFreeLimit',
  ],
  'AWS/Lambda of FunctionName': ['Errors', 'Throttles', 'Invocations'],
};

describe('every alarm', () => {
  it('exists for every flow, or once for the environment', () => {
    const names = alarms().map(({ AlarmName }) => AlarmName);
    for (const { id, scope } of specs) {
      const wanted =
        scope === 'environment'
          ? [`layover-dev-${id}`]
          : FLOWS.map(({ name }) => `layover-dev-${name}-${id}`);
      expect(names).toEqual(expect.arrayContaining(wanted));
    }
    expect(names).toHaveLength(new Set(names).size);
  });

  it('tells somebody', () => {
    for (const { AlarmName, AlarmActions } of alarms()) {
      expect([AlarmName, AlarmActions?.length]).toEqual([AlarmName, 1]);
    }
  });

  it('has a runbook that says what it means, what to type, what to do and what not', () => {
    for (const { id } of specs) {
      const file = new URL(`../../docs/runbooks/${id}.md`, import.meta.url);
      expect([id, existsSync(file)]).toEqual([id, true]);
      const text = readFileSync(file, 'utf8');
      for (const heading of ['## What it means', '## First', '## Do', '## Do not']) {
        expect([id, text.includes(`\n${heading}\n`)]).toEqual([id, true]);
      }
      expect([id, /^(aws|npm run -s layover) /m.test(text)]).toEqual([id, true]);
    }
  });

  it('names flow, owner, impact, runbook and the first command', () => {
    const { AlarmDescription } = alarm('layover-dev-orders-wait-stuck');
    expect(AlarmDescription).toContain('Flow: orders. Owner: team-checkout.');
    expect(AlarmDescription).toContain('Impact: Customers are not charged.');
    expect(AlarmDescription).toContain('Runbook: docs/runbooks/wait-stuck.md');
    expect(AlarmDescription).toContain('https://example.com/runbooks/orders');
    expect(AlarmDescription).toMatch(/\nFirst: aws logs tail \/aws\/lambda\/layover-dev-probe /);
  });

  it('watches a metric that our own code prints or AWS publishes, with the same dimensions', () => {
    const own = printed();
    for (const properties of alarms()) {
      const metrics = metricsOf(properties);
      expect(metrics.length).toBeGreaterThan(0);
      for (const { Namespace, MetricName, Dimensions } of metrics) {
        const by = dimensionNames(Dimensions);
        if (Namespace === NAMESPACE) expect([...own]).toContain(`${MetricName} of ${by}`);
        else expect(AWS_METRICS[`${Namespace} of ${by}`]).toContain(MetricName);
      }
    }
  });

  it('treats missing data as the table says, and the table says why', () => {
    for (const { id, scope, missing } of specs) {
      expect(missing.because.length).toBeGreaterThan(10);
      const name = scope === 'flow' ? `layover-dev-orders-${id}` : `layover-dev-${id}`;
      expect(alarm(name).TreatMissingData).toBe(missing.treat);
    }
  });

  it('never takes the silence of a probe that sees nothing for good news', () => {
    for (const { id, signal, missing } of specs) {
      const probed = signal.kind === 'metric' && /Depth|Age|Stuck|Unread|Mapping/.test(signal.name);
      if (probed) expect([id, missing.treat]).toEqual([id, 'ignore']);
    }
    expect(alarm('layover-dev-probe-silent')).toMatchObject({
      TreatMissingData: 'breaching',
      MetricName: 'ProbeRuns',
    });
  });

  it('fits into what CloudWatch takes, however much a team writes', () => {
    const wordy = { ...orders, impact: 'x'.repeat(3_000), runbook: 'y'.repeat(500) } as Flow;
    for (const spec of specs) {
      const names = {
        environment: 'prod',
        flow: 'orders',
        functionName: 'layover-prod-orders',
        probeName: 'layover-prod-probe',
        scheduleName: 'layover-prod-replay-schedule',
        brokerName: 'layover-prod-broker',
      };
      const text = alarmText(spec, names, wordy);
      expect(text.length).toBeLessThanOrEqual(1_024);
      expect(text.endsWith(spec.firstCommand(names))).toBe(true);
    }
  });
});

describe('thresholds', () => {
  it('are those of the flow and what the environment changes', () => {
    expect(alarm('layover-dev-orders-parked-age').Threshold).toBe(orders.parking.maxAgeMs / 1_000);
    expect(alarm('layover-dev-orders-parked-depth').Threshold).toBe(1);
    const changed = synthesise({
      ...newInput,
      flows: { orders: { parkedDepth: 50, parkedRate: 500, workDepth: 1_000 } },
    });
    expect(alarm('layover-dev-orders-parked-depth', changed).Threshold).toBe(50);
    expect(alarm('layover-dev-orders-parked-rate', changed).Threshold).toBe(500);
    expect(alarm('layover-dev-orders-work-not-moving', changed).Threshold).toBe(1_000);
    expect(alarm('layover-dev-mails-parked-rate', changed).Threshold).toBe(20);
  });
});

describe('paging', () => {
  const rule = (from = synth) => {
    const [[, page] = []] = ofType(from, 'AWS::CloudWatch::CompositeAlarm');
    return { properties: page?.Properties ?? {}, text: JSON.stringify(page?.Properties.AlarmRule) };
  };

  it('happens once, for what pages, through the composite', () => {
    const { properties, text } = rule();
    expect(properties.AlarmActions).toEqual([{ Ref: expect.stringMatching(/page/) }]);
    expect(text).toContain('Alarmsorderssettlefailures');
    expect(text).toContain('Alarmsprobesilent');
    for (const { AlarmActions } of alarms()) {
      expect(AlarmActions?.[0]?.Ref).toMatch(/ticket/);
    }
  });

  it('is split before a composite holds more than CloudWatch takes', () => {
    const flows = Array.from({ length: 12 }, (_, i) => ({
      ...orders,
      name: `orders-of-a-long-name-${i}`,
      queue: `orders-${i}`,
    })) as readonly Flow[];
    const many = synthesise(
      { ...newInput, broker: { ...newInput.broker, queueLimit: 1_000 } },
      { flows },
    );
    const composites = ofType(many, 'AWS::CloudWatch::CompositeAlarm').map(
      ([, { Properties }]) => Properties,
    );
    expect(composites.map((properties) => properties.AlarmName)).toEqual([
      'layover-dev-page',
      'layover-dev-page-2',
    ]);
    const children = composites.map(
      ({ AlarmRule }) => JSON.stringify(AlarmRule).match(/ALARM/g)?.length ?? 0,
    );
    const critical = specs.filter(({ severity }) => severity === 'critical').length;
    const pages = specs.filter(({ severity }) => severity === 'page').length;
    expect(children.reduce((a, b) => a + b)).toBe(12 * critical + pages);
    expect(Math.max(...children)).toBeLessThanOrEqual(80);
  });

  it('leaves out flows that are not critical, and tickets', () => {
    expect(mails.critical).toBe(false);
    const { text } = rule();
    expect(text).not.toContain('Alarmsmails');
    expect(text).not.toContain('Alarmsordersparkeddepth');
  });

  it('leaves out a flow that is not switched on, whose mappings read nothing by intention', () => {
    const off = synthesise({ ...newInput, enabled: false });
    expect(rule(off).text).not.toContain('Alarmsorders');
    expect(rule(off).text).toContain('Alarmsprobesilent');
    expect(alarm('layover-dev-orders-mapping-not-reading', off).ActionsEnabled).toBe(false);
    expect(alarm('layover-dev-probe-silent', off).ActionsEnabled).toBe(true);
  });
});

describe('topics', () => {
  it('are encrypted with a key that CloudWatch may use, and reach those the environment names', () => {
    const key = ofType(synth, 'AWS::KMS::Key')[0]?.[1].Properties;
    expect(JSON.stringify(key)).toContain('"Service":"cloudwatch.amazonaws.com"');
    expect(key).toMatchObject({ EnableKeyRotation: true });
    for (const [, { Properties }] of ofType(synth, 'AWS::SNS::Topic')) {
      expect(Properties.KmsMasterKeyId).toBeDefined();
    }
    const ends = ofType(synth, 'AWS::SNS::Subscription').map(([, { Properties }]) => [
      Properties.Protocol,
      Properties.Endpoint,
    ]);
    expect(ends).toEqual(
      expect.arrayContaining([
        ['email', 'oncall@example.com'],
        ['https', 'https://example.com/hook'],
      ]),
    );
  });
});

describe('dashboard and queries', () => {
  it('show each flow, and save the three questions asked at night', () => {
    const [[, dashboard] = []] = ofType(synth, 'AWS::CloudWatch::Dashboard');
    const body = JSON.stringify(dashboard?.Properties);
    for (const { name } of FLOWS) expect(body).toContain(`## ${name}`);
    for (const guard of GUARDS) expect(body).toContain(`guard\\",\\"${guard}`);
    const names = ofType(synth, 'AWS::Logs::QueryDefinition').map(
      ([, { Properties }]) => Properties.Name,
    );
    expect(names.sort()).toEqual([
      'layover/dev/history of one message',
      'layover/dev/parked by signature',
      'layover/dev/retry storm',
    ]);
  });
});
