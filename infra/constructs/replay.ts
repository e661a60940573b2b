import { type CfnElement, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnEventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct, type IDependable } from 'constructs';
import type { Flow } from '../../functions/policy/types.ts';
import { MEMORY_KEY } from '../../functions/probe/memory-store.ts';
import type { Bundles } from '../bundles.ts';
import type { Environment } from '../environment-types.ts';
import { mappingIds } from '../mapping-ids.ts';
import { acknowledge } from '../nag.ts';
import { quietAlarms } from '../quiet-alarms.ts';
import { REPLAY_PARTS, type ReplayPart } from '../replay-parts.ts';
import { AMQPS_PORT, type Broker } from './broker.ts';
import type { ClaimsTable } from './claims-table.ts';
import { ExportBucket } from './export-bucket.ts';
import { KillSwitch } from './kill-switch.ts';
import { LayoverFunction } from './layover-function.ts';
import type { Network } from './network.ts';
import { OperatorAccess } from './operator-access.ts';
import { ReplaySchedule } from './replay-schedule.ts';
import { AUDIT_ACTIONS, READ_ACTIONS, REPLAY_ACTIONS, type ReplayTables } from './replay-tables.ts';

export interface ReplayProps {
  readonly environment: Environment;
  readonly flows: readonly Flow[];
  readonly network: Network;
  readonly broker: Broker;
  readonly claims: ClaimsTable;
  readonly tables: ReplayTables;
  readonly bundles: Bundles['replay'];
  /** Of the broker: `moves` publishes as well, `looks` reads parking only. */
  readonly users: { readonly moves: ISecret; readonly looks: ISecret };
  /** Of each flow: what `pause` and `resume` switch. */
  readonly mappings: Readonly<Record<string, readonly CfnEventSourceMapping[]>>;
  readonly after: readonly IDependable[];
}

interface Part {
  readonly description: string;
  readonly allows: string;
  readonly user: 'moves' | 'looks';
  readonly memoryMiB: number;
  readonly timeoutMs: number;
}

/** A slice of a run holds messages for ten minutes at most; what is longer goes on with the next call. */
const SCHEDULE_TIMEOUT_MS = 11 * 60_000;
/** A look at 50,000 parked messages takes seconds, a plan of them somewhat longer. */
const OPERATOR_TIMEOUT_MS = 150_000;

const PARTS: Readonly<Record<ReplayPart, Part>> = {
  schedule: {
    description: 'Replays what may be replayed by itself, and goes on with runs under way',
    allows: '',
    user: 'moves',
    memoryMiB: 1_024,
    timeoutMs: SCHEDULE_TIMEOUT_MS,
  },
  view: {
    description: 'Shows what is parked, runs and the audit; changes nothing',
    allows: 'may see what is parked, runs and the audit, no bodies',
    user: 'looks',
    memoryMiB: 1_024,
    timeoutMs: OPERATOR_TIMEOUT_MS,
  },
  bodies: {
    description: 'Hands out bodies of parked messages',
    allows: 'may read the bodies of parked messages',
    user: 'looks',
    memoryMiB: 512,
    timeoutMs: OPERATOR_TIMEOUT_MS,
  },
  run: {
    description: 'Plans, runs and cancels replays and discards',
    allows: 'may plan, run and cancel replays and discards',
    user: 'moves',
    memoryMiB: 1_024,
    timeoutMs: OPERATOR_TIMEOUT_MS,
  },
  configure: {
    description: 'Switches automatic replay, and the reading of a flow',
    allows: 'may switch automatic replay, and pause and resume flows',
    user: 'looks',
    memoryMiB: 512,
    timeoutMs: 30_000,
  },
};

/** Replay: the schedule and, behind signed URLs, what people do, each with rights of its own. */
export class Replay extends Construct {
  readonly functions: Readonly<Record<ReplayPart, LayoverFunction>>;

  constructor(scope: Construct, id: string, props: ReplayProps) {
    super(scope, id);
    const { environment, tables, claims, after } = props;
    const exports = new ExportBucket(this, 'Exports', { environment });
    const killSwitch = new KillSwitch(this, 'Switch', { environment, flows: props.flows });
    const variables = this.#variables(props, killSwitch, exports);
    const functions = Object.fromEntries(
      REPLAY_PARTS.map((part) => [part, this.#function(part, props, variables)]),
    ) as Record<ReplayPart, LayoverFunction>;
    this.functions = functions;
    const { schedule, view, bodies, run, configure } = functions;

    for (const mover of [schedule, run]) {
      mover.allow(REPLAY_ACTIONS, [tables.replay.tableArn]);
      mover.allow(AUDIT_ACTIONS, [tables.audit.tableArn]);
      mover.allow(['dynamodb:BatchGetItem'], [claims.table.tableArn]);
      // Written once, and never over what is there; nobody here reads it back.
      mover.allow(['s3:PutObject'], [exports.bucket.arnForObjects('*')]);
      acknowledge(
        mover.role,
        `IAM5[Resource::<${logicalId(exports.bucket)}.Arn>/*]`,
        'Each part of a discard is an object of its own, named after its run.',
      );
    }
    view.allow(READ_ACTIONS, [tables.replay.tableArn, tables.audit.tableArn]);
    // How long something has been parked, as the probe remembers it; the claims are none of its business.
    view.role.addToPolicy(
      new PolicyStatement({
        actions: ['dynamodb:GetItem'],
        resources: [claims.table.tableArn],
        conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [MEMORY_KEY] } },
      }),
    );
    // To say which run holds the queue.
    bodies.allow(['dynamodb:GetItem'], [tables.replay.tableArn]);
    configure.allow(AUDIT_ACTIONS, [tables.audit.tableArn]);
    for (const reader of [schedule, view, run, configure]) {
      reader.allow(['ssm:GetParameters'], killSwitch.arns);
    }
    configure.allow(['ssm:PutParameter'], killSwitch.arns);
    // Composite alarms are shown to those only who may see all.
    schedule.allow(['cloudwatch:DescribeAlarms'], ['*']);

    const mappingArns = Object.values(props.mappings)
      .flat()
      .map(({ attrEventSourceMappingArn }) => attrEventSourceMappingArn);
    if (mappingArns.length > 0) {
      view.allow(['lambda:GetEventSourceMapping'], mappingArns);
      configure.allow(
        ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'],
        mappingArns,
      );
    }
    new ReplaySchedule(this, 'Schedule', { environment, function: schedule, after });
    for (const part of REPLAY_PARTS) {
      if (part === 'schedule') continue;
      const { allows } = PARTS[part];
      new OperatorAccess(this, part, { environment, part, allows, function: functions[part] });
    }
  }

  #variables(
    { environment, broker, claims, tables }: ReplayProps,
    killSwitch: KillSwitch,
    exports: ExportBucket,
  ): Readonly<Record<string, string>> {
    return {
      LAYOVER_ENVIRONMENT: environment.name,
      LAYOVER_BROKER_HOST: broker.host,
      LAYOVER_BROKER_PORT: String(AMQPS_PORT),
      LAYOVER_BROKER_VHOST: environment.vhost,
      LAYOVER_TABLE: claims.table.tableName,
      LAYOVER_REPLAY_TABLE: tables.replay.tableName,
      LAYOVER_AUDIT_TABLE: tables.audit.tableName,
      LAYOVER_SWITCH_PREFIX: killSwitch.prefix,
      LAYOVER_EXPORT_BUCKET: exports.bucket.bucketName,
      LAYOVER_REPLAY_MODE: environment.replay === 'on' ? 'on' : 'observe',
    };
  }

  /** Both grow with the flows, and Lambda takes 4 KB of variables: each where it is needed, no more. */
  #own(part: ReplayPart, { environment, flows, mappings }: ReplayProps) {
    if (part === 'schedule') {
      return { LAYOVER_QUIET_ALARMS: JSON.stringify(quietAlarms(environment, flows)) };
    }
    if (part === 'run' || part === 'bodies') return {};
    return { LAYOVER_MAPPINGS: mappingIds(this, mappings) };
  }

  #function(
    part: ReplayPart,
    props: ReplayProps,
    variables: Readonly<Record<string, string>>,
  ): LayoverFunction {
    const { environment, network, bundles, users } = props;
    const { description, memoryMiB, timeoutMs, user } = PARTS[part];
    const made = new LayoverFunction(this, `Handler ${part}`, {
      environment,
      network,
      part: `replay-${part}`,
      description,
      bundle: bundles[part],
      memoryMiB,
      timeoutMs,
      variables: {
        ...variables,
        ...this.#own(part, props),
        LAYOVER_BROKER_SECRET_ARN: users[user].secretArn,
      },
    });
    // Switching needs no broker.
    if (part !== 'configure') users[user].grantRead(made.role);
    return made;
  }
}

function logicalId(bucket: Bucket): string {
  return Stack.of(bucket).getLogicalId(bucket.node.defaultChild as CfnElement);
}
