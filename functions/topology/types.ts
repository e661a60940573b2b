/** The topology as data: what the custom resource, the local run, the tests and the docs all use. */

export type QueueRole = 'work' | 'wait' | 'isolated' | 'isolated-wait' | 'parked';
export type QueueArguments = Readonly<Record<string, string | number | boolean>>;

export interface QueueModel {
  readonly name: string;
  readonly flow: string;
  readonly role: QueueRole;
  /** False for a work queue that belongs to someone else: checked, never declared. */
  readonly declare: boolean;
  readonly arguments: QueueArguments;
  /** For wait queues: how long a message waits, in milliseconds. */
  readonly delayMs?: number;
}

export interface ExchangeModel {
  readonly name: string;
  readonly type: 'direct' | 'topic' | 'fanout' | 'headers';
}

export interface BindingModel {
  readonly queue: string;
  readonly exchange: string;
  readonly routingKey: string;
  readonly arguments: QueueArguments;
}

/** Every queue is durable and quorum; every exchange durable. */
export interface Topology {
  readonly exchanges: readonly ExchangeModel[];
  readonly queues: readonly QueueModel[];
  readonly bindings: readonly BindingModel[];
}

/** What the model needs of a flow; a `Flow` fits as it is. */
export interface TopologyInput {
  readonly name: string;
  readonly queue: string;
  readonly queueMode: 'declare' | 'existing';
  readonly bindings: readonly {
    readonly exchange: string;
    readonly type: ExchangeModel['type'];
    readonly routingKey: string;
    readonly arguments?: QueueArguments;
  }[];
  readonly schedule: {
    readonly delaysMs: readonly number[];
    readonly jitter: { readonly lanes: number; readonly spread: number };
  };
}
