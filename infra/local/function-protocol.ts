/** What the parent asks of a function process: one invocation. */
export interface ParentMessage {
  readonly requestId: string;
  /** The event as JSON text; parsed in the process, where a `__proto__` key stays a key. */
  readonly event: string;
  /** When the function's timeout ends, in epoch milliseconds. */
  readonly deadlineAtMs: number;
}

/** What a function process tells its parent. */
export type FunctionMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'init-failed'; readonly error: string }
  | { readonly kind: 'done'; readonly requestId: string; readonly result: unknown }
  | { readonly kind: 'failed'; readonly requestId: string; readonly error: string };

/** The last line of an invocation's log, as Lambda writes it. */
export function endLine(requestId: string): string {
  return `END RequestId: ${requestId}`;
}

/** The text of anything thrown. Never throws itself. */
export function errorText(error: unknown): string {
  try {
    return error instanceof Error
      ? (error.stack ?? `${error.name}: ${error.message}`)
      : String(error);
  } catch {
    return 'something was thrown that has no text';
  }
}
