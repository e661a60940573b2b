import type { Engine } from './engine-rules.ts';

/** The environments there are. A new one is a name here and a definition in `environments.ts`. */
export const ENVIRONMENT_NAMES = ['dev', 'staging', 'prod'] as const;
export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];

/** How functions and mappings in private subnets reach AWS. */
export type Reach =
  /** Interface endpoints for what is called, gateways for DynamoDB and S3; nothing reaches the internet. */
  | 'endpoints'
  /** One NAT gateway (new networks only). */
  | 'nat'
  /** Already there: endpoints or NAT of the given network. Nothing is made. */
  | 'existing';

export type NetworkSettings =
  | {
      readonly kind: 'new';
      /** Availability zones: 2 or 3. A cluster needs 3. */
      readonly zones: 2 | 3;
      readonly reach: 'endpoints' | 'nat';
      /** @default '10.0.0.0/16' */
      readonly cidr?: string;
    }
  | {
      readonly kind: 'given';
      readonly vpcId: string;
      /** One per subnet, in the same order. */
      readonly availabilityZones: readonly string[];
      readonly subnetIds: readonly string[];
      /** The subnets' route tables, one per subnet; needed for the gateways when reach is 'endpoints'. */
      readonly routeTableIds?: readonly string[];
      readonly reach: 'endpoints' | 'existing';
    };

export interface MaintenanceWindow {
  readonly day: 'MONDAY' | 'TUESDAY' | 'WEDNESDAY' | 'THURSDAY' | 'FRIDAY' | 'SATURDAY' | 'SUNDAY';
  /** 24-hour `HH:MM`, UTC. */
  readonly timeUtc: string;
}

interface BrokerShape {
  readonly engine: Engine;
  /** `mq.m7g.large` and the like. */
  readonly instanceType: string;
  readonly deployment: 'single' | 'cluster';
  /** Queues on the broker that are not of this stack; they count towards its quota. @default 0 */
  readonly otherQueues?: number;
  /** The broker's own `cluster_queue_limit`, where its owner changed it. @default the documented quota */
  readonly queueLimit?: number;
}

export type BrokerSettings =
  | (BrokerShape & { readonly kind: 'new'; readonly maintenance: MaintenanceWindow })
  | (BrokerShape & {
      readonly kind: 'given';
      readonly arn: string;
      /** Host name of its endpoint, without scheme or port. */
      readonly host: string;
      /** Secret (`username`, `password`) of a user that may create users and queues. */
      readonly secretArn: string;
      readonly securityGroupId: string;
      /** `write`: this stack adds the rules to the group. `print`: they are an output, for its owner. */
      readonly rules: 'write' | 'print';
    });

/** Who owns exchanges and queues. */
export type TopologyMode =
  /** The deployment declares them. */
  | 'apply'
  /** The deployment compares and fails on a difference; it declares nothing. */
  | 'check'
  /** Synth writes a definitions file with permission patterns for the broker's owner. */
  | 'definitions';

export type UserSettings =
  /** A user and a secret for each function, made by the deployment. */
  | { readonly kind: 'made' }
  /** Secrets (`username`, `password`) of users that exist already. */
  | {
      readonly kind: 'given';
      readonly probeSecretArn: string;
      /** Of the user that replays. */
      readonly replaySecretArn: string;
      /** Of a user that only reads parking. @default `replaySecretArn` */
      readonly replayViewSecretArn?: string;
      /** By flow. */
      readonly flowSecretArns: Readonly<Record<string, string>>;
    };

/** What the schedule of replay does; people can replay by hand in any case. */
export type ReplayMode =
  /** Replays what every guard lets through. */
  | 'on'
  /** Records what it would have replayed, and goes on with the runs of people. */
  | 'observe'
  /** Nothing: a run of a person goes on only while they watch it with `--continue`. */
  | 'off';

/** What one environment changes of one flow. */
export interface FlowOverride {
  /** False: the flow's mappings are deployed but don't read. @default the environment's `enabled` */
  readonly enabled?: boolean;
  readonly batchSize?: number;
  /** Milliseconds: 500, or whole seconds. */
  readonly batchWindowMs?: number;
  readonly memoryMiB?: number;
  /** Milliseconds, at most 14 minutes. */
  readonly timeoutMs?: number;
  /** Parked messages that wake someone. @default 1, so that the first is seen */
  readonly parkedDepth?: number;
  /** Messages parked within 5 minutes that mean an incident rather than a bad message. @default 20 */
  readonly parkedRate?: number;
  /** Waiting messages with no invocation for 5 minutes. @default 1 */
  readonly workDepth?: number;
}

export interface EnvironmentInput {
  /** Both or neither; neither leaves the template usable in any account and region. */
  readonly account?: string;
  readonly region?: string;
  /** False deploys everything, with mappings that don't read yet: the first step of a cut-over. */
  readonly enabled: boolean;
  readonly vhost: string;
  readonly network: NetworkSettings;
  readonly broker: BrokerSettings;
  readonly topology: TopologyMode;
  readonly users: UserSettings;
  readonly logRetentionDays: number;
  /** What happens to broker, tables, exports and log groups when the stack goes; secrets of users and the topics' key go in any case. */
  readonly removal: 'retain' | 'destroy';
  /** E-mail addresses or https URLs. Critical flows page; everything else is a ticket. */
  readonly alarms: { readonly page: readonly string[]; readonly ticket: readonly string[] };
  /** @default 'observe', so that nothing moves by itself until somebody says so */
  readonly replay?: ReplayMode;
  readonly flows?: Readonly<Record<string, FlowOverride>>;
}

/** A validated environment, every default filled in. */
export interface Environment extends EnvironmentInput {
  readonly name: EnvironmentName;
  readonly replay: ReplayMode;
  readonly flows: Readonly<Record<string, FlowOverride>>;
}
