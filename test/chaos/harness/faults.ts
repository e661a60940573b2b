/** Where a function can be told to die. Each is a line between two steps of the consumer. */
export const POINTS = [
  /** Before its claim is taken, so before any trace of a run. */
  'before-claim',
  /** Claim taken, handler not called. */
  'before-handler',
  /** In the handler, before its side effect. */
  'in-handler',
  /** Side effect done, its completion not recorded. */
  'after-effect',
  /** Completion recorded, the function has not returned. */
  'after-completion',
  /** The handler failed and its claim is ended; no copy has been published. */
  'after-release',
  /** A copy is confirmed, the function has not returned. */
  'after-publish',
  /** Every record of the batch is settled, the function has not returned. */
  'before-return',
] as const;
export type Point = (typeof POINTS)[number];

/** Those that are left where there is no table of claims: nothing is taken, recorded or ended there. */
export const POINTS_WITHOUT_TABLE: readonly Point[] = [
  'in-handler',
  'after-effect',
  'after-publish',
  'before-return',
];

/** Ways for a process to end, or to never end. */
export const WAYS = ['SIGKILL', 'abort', 'out-of-memory', 'endless-loop'] as const;
export type Way = (typeof WAYS)[number];

/** Which of a flow's two functions. */
export type Place = 'work' | 'isolated';

/**
 * Points at which the *isolated* function may be killed without its message being the culprit. At the
 * others, between claim and completion, a kill from outside is by contract not to be told from a poisonous
 * message (docs/decisions.md, "Crashes"), so the harness leaves them alone: whatever dies there is convicted.
 */
export const INNOCENT_WHEN_ISOLATED: readonly Point[] = [
  'before-claim',
  'after-completion',
  'after-release',
  'after-publish',
  'before-return',
];

/** Kill the function once, when it reaches this point with this message. */
export interface PlannedKill {
  readonly id: string;
  readonly point: Point;
  readonly place: Place;
}

/** A death that really happened at a point. */
export interface FiredFault {
  readonly id: string;
  readonly point: Point;
  readonly place: Place;
  readonly way: Way;
  readonly pid: number;
  /** True for a message that kills in every run. */
  readonly poison: boolean;
}

/** What a function asks before it goes on. */
export interface Question {
  readonly point: Point;
  readonly place: Place;
  readonly pid: number;
  readonly ids: readonly string[];
}

/** Only messages marked like this are asked about: a question per step of each message would slow all. */
export const ASKED_SUFFIX = '.f';
