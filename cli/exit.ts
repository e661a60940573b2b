/** Exit codes of every command; documented in the README. */
export const EXIT = {
  ok: 0,
  /** The command could not do what was asked. */
  failed: 1,
  /** The command was called wrongly: a flag, a file, a flow that does not exist. */
  usage: 2,
} as const;

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
    return { text: error.message, exitCode: EXIT.failed };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, exitCode: EXIT.failed };
}

/** Node gives codes to its own TypeErrors and RangeErrors, too. */
function isForPeople(error: Error & { readonly code?: unknown }): boolean {
  return typeof error.code === 'string' && error.message !== '' && !error.code.startsWith('ERR_');
}
