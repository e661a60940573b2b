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

/** What a person reads on stderr. Errors with a code are ours and need no stack; others are faults. */
export function describeFailure(error: unknown): { text: string; exitCode: number } {
  if (error instanceof UsageError) return { text: error.message, exitCode: EXIT.usage };
  if (error instanceof Error && typeof (error as { code?: unknown }).code === 'string') {
    return { text: error.message, exitCode: EXIT.failed };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { text, exitCode: EXIT.failed };
}
