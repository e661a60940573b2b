/** Why the local run could not go on. The message is for the person at the terminal. */
export type LocalRunErrorCode =
  | 'LEFTOVERS'
  | 'UNKNOWN_FLOW'
  | 'NO_SCENARIO'
  | 'PUBLISH_FAILED'
  | 'PARKING_UNREADABLE'
  | 'NOT_AT_REST'
  | 'CANCELLED';

/** Ends the whole run; nothing of it is left behind on the broker but what it says. */
export class LocalRunError extends Error {
  override readonly name = 'LocalRunError';
  readonly code: LocalRunErrorCode;

  constructor(code: LocalRunErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** How an invocation failed. Whatever it was, the batch was not acknowledged. */
export type InvocationErrorCode =
  /** The handler threw; the process lives on. */
  | 'FUNCTION_ERROR'
  /** The function's timeout passed; the process was killed. */
  | 'TIMEOUT'
  /** The process ended by itself or was killed from outside. */
  | 'DIED'
  /** The bundle could not be imported or exports no handler. */
  | 'INIT_FAILED'
  /** The function was stopped on purpose. */
  | 'STOPPED';

export class InvocationError extends Error {
  override readonly name = 'InvocationError';
  readonly code: InvocationErrorCode;

  constructor(code: InvocationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
