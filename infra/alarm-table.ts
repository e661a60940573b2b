import { METRICS, NAMESPACE } from '../functions/consumer/metrics.ts';
import type { Flow } from '../functions/policy/types.ts';
import { PROBE_METRICS, PROBE_RUNS } from '../functions/probe/probe-metrics.ts';
import { REPLAY_METRICS } from '../functions/replay/metrics.ts';
import type { Environment, FlowOverride } from './environment-types.ts';

/**
 * Every alarm there is, as data: what is measured, when it fires, and what is said to the person it
 * wakes. `docs/runbooks/<id>.md` exists for each.
 */
export interface AlarmSpec {
  readonly id: string;
  /** One per flow, or one per environment. */
  readonly scope: 'flow' | 'environment';
  /** `critical`: pages for critical flows, a ticket for others. */
  readonly severity: 'page' | 'critical' | 'ticket';
  /** What it means, in a sentence. */
  readonly meaning: string;
  readonly signal: Signal;
  readonly threshold: (context: Thresholds) => number;
  readonly comparison: 'at-least' | 'at-most' | 'below';
  readonly periodSeconds: 60 | 300 | 3_600;
  /** Fires when this many of the last `outOf` periods cross the threshold. */
  readonly periods: number;
  readonly outOf: number;
  readonly missing: Missing;
  /** While it is anything but OK, automatic replay moves nothing of the flow. */
  readonly stopsReplay?: true;
  /** Says nothing where the environment's `replay` is `off`. */
  readonly ofSchedule?: true;
  /** The first thing to type. */
  readonly firstCommand: (names: CommandNames) => string;
}

/**
 * What a period without data says, and why: a counter that was not printed is a zero; a figure the
 * probe could not read is unknown and leaves the state as it was, since silence has an alarm of its
 * own; and where the signal is the sign of life itself, silence is the failure.
 */
export type Missing =
  | { readonly treat: 'notBreaching'; readonly because: 'a counter not printed is zero' }
  | { readonly treat: 'ignore'; readonly because: 'unknown; probe-silent wakes someone' }
  | { readonly treat: 'ignore'; readonly because: 'unknown; mapping-not-reading sees it as well' }
  | { readonly treat: 'ignore'; readonly because: 'unknown; replay-silent tells of it' }
  | { readonly treat: 'breaching'; readonly because: 'silence is the failure' }
  | { readonly treat: 'missing'; readonly because: 'Amazon MQ pauses figures in maintenance' };

export type Signal =
  | {
      readonly kind: 'metric';
      readonly namespace: 'Layover' | 'AWS/Lambda';
      readonly name: string;
      readonly statistic: 'Sum' | 'Maximum' | 'Minimum';
      /** Beside environment and flow. */
      readonly dimensions?: Readonly<Record<string, string>>;
    }
  /** `a / b`, both of the broker. */
  | { readonly kind: 'broker-ratio'; readonly of: string; readonly to: string }
  /** The work queue's depth while nothing was invoked, else 0. */
  | { readonly kind: 'depth-without-invocations' };

export interface Thresholds {
  readonly environment: Environment;
  readonly flow?: Flow;
  readonly override: FlowOverride;
}

export interface CommandNames {
  readonly environment: string;
  readonly flow: string;
  readonly functionName: string;
  readonly probeName: string;
  /** The function that replays by itself. */
  readonly scheduleName: string;
  readonly brokerName: string;
}

const ZERO: Missing = { treat: 'notBreaching', because: 'a counter not printed is zero' };
const UNKNOWN: Missing = { treat: 'ignore', because: 'unknown; probe-silent wakes someone' };

const layover = (
  name: string,
  statistic: 'Sum' | 'Maximum' | 'Minimum',
  dimensions = {},
): Signal => ({
  kind: 'metric',
  namespace: NAMESPACE,
  name,
  statistic,
  dimensions,
});
const lambda = (name: string): Signal => ({
  kind: 'metric',
  namespace: 'AWS/Lambda',
  name,
  statistic: 'Sum',
});
const logs = (functionName: string, filter: string) =>
  `aws logs tail /aws/lambda/${functionName} --since 1h --format short --filter-pattern '${filter}'`;
const mappings = ({ functionName }: CommandNames) =>
  `aws lambda list-event-source-mappings --function-name ${functionName}:live --query 'EventSourceMappings[].[Queues[0],State,LastProcessingResult,StateTransitionReason]' --output table`;

export const ALARMS = [
  {
    id: 'parked-depth',
    scope: 'flow',
    severity: 'ticket',
    meaning: 'Messages rest in the parking queue and wait for a decision.',
    signal: layover(PROBE_METRICS.parkedDepth, 'Maximum'),
    threshold: ({ override }) => override.parkedDepth ?? 1,
    comparison: 'at-least',
    periodSeconds: 60,
    periods: 1,
    outOf: 1,
    missing: UNKNOWN,
    firstCommand: ({ functionName }) => logs(functionName, '{ $.verdict = "park" }'),
  },
  {
    id: 'parked-age',
    scope: 'flow',
    severity: 'ticket',
    meaning: 'The oldest parked message has waited longer than the flow allows.',
    signal: layover(PROBE_METRICS.parkedAge, 'Maximum'),
    threshold: ({ flow }) => (flow?.parking.maxAgeMs ?? 0) / 1_000,
    comparison: 'at-least',
    periodSeconds: 60,
    periods: 1,
    outOf: 1,
    missing: UNKNOWN,
    firstCommand: ({ functionName }) => logs(functionName, '{ $.verdict = "park" }'),
  },
  {
    id: 'parked-rate',
    scope: 'flow',
    severity: 'critical',
    meaning: 'Many messages were parked within five minutes: an incident, not a bad message.',
    signal: layover(METRICS.parked, 'Sum'),
    threshold: ({ override }) => override.parkedRate ?? 20,
    comparison: 'at-least',
    periodSeconds: 300,
    periods: 1,
    outOf: 1,
    missing: ZERO,
    firstCommand: ({ functionName }) => logs(functionName, '{ $.verdict = "park" }'),
  },
  {
    id: 'parked-security',
    scope: 'flow',
    severity: 'critical',
    meaning:
      'A downstream refused our credentials or showed a bad certificate; messages are parked.',
    signal: layover(METRICS.parked, 'Sum', { class: 'security' }),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 300,
    periods: 1,
    outOf: 1,
    missing: ZERO,
    firstCommand: ({ functionName }) => logs(functionName, '{ $.class = "security" }'),
  },
  {
    id: 'settle-failures',
    scope: 'flow',
    severity: 'critical',
    meaning: 'Copies could not be published, so whole batches come back; nothing is lost yet.',
    signal: layover(METRICS.settleFailures, 'Sum'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 300,
    periods: 1,
    outOf: 1,
    missing: ZERO,
    stopsReplay: true,
    firstCommand: ({ functionName }) => logs(functionName, '{ $.message = "not settled" }'),
  },
  {
    id: 'work-not-moving',
    scope: 'flow',
    severity: 'critical',
    meaning: 'Messages wait in the work queue and nothing has been invoked for five minutes.',
    signal: { kind: 'depth-without-invocations' },
    threshold: ({ override }) => override.workDepth ?? 1,
    comparison: 'at-least',
    periodSeconds: 60,
    periods: 5,
    outOf: 5,
    missing: UNKNOWN,
    firstCommand: mappings,
  },
  {
    id: 'wait-stuck',
    scope: 'flow',
    severity: 'critical',
    meaning: 'Messages whose wait is over do not come back: their target is full or missing.',
    signal: layover(PROBE_METRICS.waitStuck, 'Maximum'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 60,
    periods: 5,
    outOf: 5,
    missing: UNKNOWN,
    firstCommand: ({ probeName, flow }) => logs(probeName, `{ $.flow = "${flow}" }`),
  },
  {
    id: 'mapping-not-reading',
    scope: 'flow',
    severity: 'critical',
    meaning: 'Nobody reads the work queue or the isolated queue: a mapping is off or has failed.',
    signal: layover(PROBE_METRICS.unreadQueues, 'Maximum'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 60,
    periods: 5,
    outOf: 5,
    missing: UNKNOWN,
    firstCommand: mappings,
  },
  {
    id: 'mapping-not-enabled',
    scope: 'flow',
    severity: 'critical',
    meaning: 'Lambda says that a mapping of the flow is disabled, failed, or deleted.',
    signal: layover(PROBE_METRICS.mappingsNotEnabled, 'Maximum'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 60,
    // A deployment changes mappings, which takes a minute or two.
    periods: 5,
    outOf: 5,
    missing: { treat: 'ignore', because: 'unknown; mapping-not-reading sees it as well' },
    firstCommand: mappings,
  },
  {
    id: 'function-errors',
    scope: 'flow',
    severity: 'critical',
    meaning: 'Invocations keep failing as a whole, so batches are delivered again and again.',
    signal: lambda('Errors'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 60,
    // One failed invocation heals by itself.
    periods: 3,
    outOf: 5,
    missing: ZERO,
    firstCommand: ({ functionName }) => logs(functionName, '?ERROR ?Error ?"Task timed out"'),
  },
  {
    id: 'function-throttles',
    scope: 'flow',
    severity: 'ticket',
    meaning: 'Lambda refuses invocations: the account has no concurrency left.',
    signal: lambda('Throttles'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 60,
    periods: 3,
    outOf: 5,
    missing: ZERO,
    firstCommand: () => 'aws lambda get-account-settings --query AccountLimit',
  },
  {
    id: 'crash-net-used',
    scope: 'flow',
    severity: 'critical',
    meaning: 'The broker itself gave up on messages and moved them to parking.',
    signal: layover(PROBE_METRICS.deadLettered, 'Sum'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 300,
    periods: 1,
    outOf: 1,
    missing: ZERO,
    firstCommand: ({ functionName }) => logs(functionName, '?ERROR ?Error ?"Task timed out"'),
  },
  {
    id: 'replay-silent',
    scope: 'flow',
    severity: 'ticket',
    meaning: 'The schedule has not looked at this flow for fifteen minutes: nothing is replayed.',
    signal: layover(REPLAY_METRICS.ticks, 'Sum'),
    threshold: () => 1,
    comparison: 'below',
    periodSeconds: 300,
    periods: 3,
    outOf: 3,
    missing: { treat: 'breaching', because: 'silence is the failure' },
    ofSchedule: true,
    firstCommand: ({ scheduleName }) => `aws logs tail /aws/lambda/${scheduleName} --since 30m`,
  },
  {
    id: 'replay-regression',
    scope: 'flow',
    severity: 'ticket',
    meaning:
      'A message failed again after it was replayed: the run has halted, the rest stays parked.',
    signal: layover(REPLAY_METRICS.regressions, 'Sum'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 300,
    // It stays for an hour, so that automatic replay stays away as long.
    periods: 1,
    outOf: 12,
    missing: ZERO,
    stopsReplay: true,
    firstCommand: ({ flow, environment }) =>
      `npm run -s layover -- audit ${flow} --env ${environment}`,
  },
  {
    id: 'replay-leftovers',
    scope: 'flow',
    severity: 'ticket',
    meaning: 'A run ended and left messages it was to move; the audit says why for each.',
    signal: layover(REPLAY_METRICS.leftovers, 'Sum'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 300,
    periods: 1,
    outOf: 1,
    missing: ZERO,
    firstCommand: ({ flow, environment }) =>
      `npm run -s layover -- audit ${flow} --env ${environment}`,
  },
  {
    id: 'replay-switched-off',
    scope: 'flow',
    severity: 'ticket',
    meaning: 'Automatic replay has been switched off for a day: did somebody forget it?',
    signal: layover(REPLAY_METRICS.switchedOff, 'Minimum'),
    threshold: () => 1,
    comparison: 'at-least',
    periodSeconds: 3_600,
    periods: 24,
    outOf: 24,
    missing: { treat: 'ignore', because: 'unknown; replay-silent tells of it' },
    ofSchedule: true,
    firstCommand: ({ flow, environment }) =>
      `aws ssm get-parameters --names /layover/${environment}/replay/all /layover/${environment}/replay/${flow} --query 'Parameters[].[Name,Value,LastModifiedDate]' --output table`,
  },
  {
    id: 'probe-silent',
    scope: 'environment',
    severity: 'page',
    meaning: 'The probe has not seen the broker for five minutes: depth alarms are blind.',
    signal: layover(PROBE_RUNS, 'Sum'),
    threshold: () => 1,
    comparison: 'below',
    periodSeconds: 60,
    periods: 5,
    outOf: 5,
    missing: { treat: 'breaching', because: 'silence is the failure' },
    firstCommand: ({ probeName }) => `aws logs tail /aws/lambda/${probeName} --since 15m`,
  },
  {
    id: 'broker-memory',
    scope: 'environment',
    severity: 'page',
    meaning: 'A broker node is close to its memory limit, where it stops reading publishers.',
    signal: { kind: 'broker-ratio', of: 'RabbitMQMemUsed', to: 'RabbitMQMemLimit' },
    threshold: () => 0.85,
    comparison: 'at-least',
    periodSeconds: 60,
    periods: 5,
    outOf: 5,
    missing: { treat: 'missing', because: 'Amazon MQ pauses figures in maintenance' },
    firstCommand: ({ brokerName }) =>
      `aws mq list-brokers --query "BrokerSummaries[?BrokerName=='${brokerName}']"`,
  },
  {
    id: 'broker-disk',
    scope: 'environment',
    severity: 'page',
    meaning: 'A broker node is close to its disk limit, where it stops reading publishers.',
    signal: { kind: 'broker-ratio', of: 'RabbitMQDiskFree', to: 'RabbitMQDiskFreeLimit' },
    threshold: () => 1.5,
    comparison: 'at-most',
    periodSeconds: 60,
    periods: 5,
    outOf: 5,
    missing: { treat: 'missing', because: 'Amazon MQ pauses figures in maintenance' },
    firstCommand: ({ brokerName }) =>
      `aws mq list-brokers --query "BrokerSummaries[?BrokerName=='${brokerName}']"`,
  },
] as const satisfies readonly AlarmSpec[];

export type AlarmId = (typeof ALARMS)[number]['id'];
