/**
 * What the probe prints once a minute, dimensions `environment` and `flow`, namespace `Layover`.
 * The names are the contract with the alarms; every one costs about USD 0.30 a month per flow.
 */
export const PROBE_METRICS = {
  /** Messages at rest in the parking queue, unacknowledged ones included. */
  parkedDepth: 'ParkedDepth',
  /** How long the oldest parked message has been there, in seconds; never less than the truth. */
  parkedAge: 'ParkedAge',
  /** Messages in the work queue, unacknowledged ones included. */
  workDepth: 'WorkDepth',
  /** Messages in the isolated queue. */
  isolatedDepth: 'IsolatedDepth',
  /** Also per tier (dimension `tier`). */
  waitDepth: 'WaitDepth',
  /** Messages whose wait is over and which the broker could not give back yet (`messages_dlx`). */
  waitStuck: 'WaitStuck',
  /** Of the work queue and the isolated queue, how many nobody reads. */
  unreadQueues: 'UnreadQueues',
  /** Of the flow's two mappings, how many Lambda says are not `Enabled`: off, failed, in change, gone. */
  mappingsNotEnabled: 'MappingsNotEnabled',
  /** Of the two, how many report a `PROBLEM` with their last batch or connection. */
  mappingProblems: 'MappingProblems',
  /** Messages the broker itself moved to parking since the last run: the delivery limit was used. */
  deadLettered: 'DeadLettered',
} as const;

/** Printed once per run with the dimension `environment` alone: its absence is what wakes someone. */
export const PROBE_RUNS = 'ProbeRuns';
