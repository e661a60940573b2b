/** Exit codes of every command; documented in docs/operate.md. */
export const EXIT = {
  ok: 0,
  /** The command could not do what was asked. */
  failed: 1,
  /** The command was called wrongly: a flag, a file, a flow that does not exist. */
  usage: 2,
  /** A plan that can't be run (expired, used, of another environment), or replay is switched off. */
  refused: 3,
  /** No AWS credentials, or not the permission for this. */
  permission: 4,
  /** Another run, or another look, holds the flow's parking queue. */
  locked: 5,
  /** The run is over and not all that was planned was done: halted, cancelled, or with leftovers. */
  incomplete: 6,
  /** The time to watch is over, the run is not. */
  running: 7,
} as const;

/** Exit codes of errors with a code of their own; all others are `failed`. */
const BY_CODE: Readonly<Record<string, number>> = {
  BAD_REQUEST: EXIT.usage,
  FLOW_UNKNOWN: EXIT.usage,
  NO_REGION: EXIT.usage,
  PLAN_UNKNOWN: EXIT.refused,
  PLAN_EXPIRED: EXIT.refused,
  PLAN_USED: EXIT.refused,
  PLAN_DAMAGED: EXIT.refused,
  WRONG_ENVIRONMENT: EXIT.refused,
  WRONG_FLOW: EXIT.refused,
  SWITCHED_OFF: EXIT.refused,
  NOT_CONFIRMED: EXIT.refused,
  FORBIDDEN: EXIT.permission,
  NO_PERMISSION: EXIT.permission,
  NO_CREDENTIALS: EXIT.permission,
  RUN_ACTIVE: EXIT.locked,
  LOCK_HELD: EXIT.locked,
  LEASE_LOST: EXIT.locked,
  RUN_INCOMPLETE: EXIT.incomplete,
  RUN_NOT_OVER: EXIT.running,
};

/** The caller's mistake: the message names the value and the way out. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
}

/** Rightly called, but it can't be done now: no broker, no such queue. The message says what would help. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
  readonly code = 'COMMAND_FAILED';
}

/**
 * What a person reads on stderr. Errors with a code are made for people and need no stack; of anything
 * else, which is a fault of this program, the stack is worth having.
 */
export function describeFailure(error: unknown): { text: string; exitCode: number } {
  if (error instanceof UsageError) return { text: error.message, exitCode: EXIT.usage };
  if (error instanceof Error && isForPeople(error)) {
    return { text: error.message, exitCode: BY_CODE[error.code] ?? EXIT.failed };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, exitCode: EXIT.failed };
}

/** Node gives codes to its own TypeErrors and RangeErrors, too. */
function isForPeople(
  error: Error & { readonly code?: unknown },
): error is Error & { code: string } {
  return typeof error.code === 'string' && error.message !== '' && !error.code.startsWith('ERR_');
}
