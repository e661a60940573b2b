import type { Downstream } from '../downstream/downstream.ts';
import type { Random } from '../random.ts';

/** A message the scenario publishes. The books never look at `fate`: it is for people and for tests. */
export interface PlannedMessage {
  readonly messageId: string;
  /** The id the downstream sees for this message's work. */
  readonly workId: string;
  readonly fate: string;
  readonly exchange: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly type: string;
}

export interface FlowPlan {
  readonly messages: readonly PlannedMessage[];
  /** Starts what the handlers call; the scenario knows what it has in store for which message. */
  readonly startDownstream: () => Promise<Downstream>;
  /** The environment variable that tells the handler where the downstream is. */
  readonly urlVariable: string;
}

export interface PlanOptions {
  readonly count: number;
  readonly seed: number;
  readonly random: Random;
  /** How many times faster than real the run is. */
  readonly speed: number;
  /** Whether messages that kill the function are among them. */
  readonly poison: boolean;
}

/** What the local run knows about one flow: what to send it and what it calls. */
export interface FlowScenario {
  readonly flow: string;
  /** Its part of the messages of a run of all flows. */
  readonly share: number;
  readonly plan: (options: PlanOptions) => FlowPlan;
}
