import type { ReplayErrorCode } from '../../functions/replay/errors.ts';

/** What may go wrong on the way to the functions of an environment. */
export type WayErrorCode =
  /** No function of that name in that account and region. */
  | 'NOT_DEPLOYED'
  | 'NO_REGION'
  /** None were found on this machine, or AWS does not know them. */
  | 'NO_CREDENTIALS'
  | 'NO_PERMISSION'
  | 'CLOCK_SKEW'
  | 'NETWORK'
  | 'THROTTLED'
  /** The function broke, or took longer than it may. */
  | 'FUNCTION_FAILED'
  /** Nothing local to talk to. */
  | 'NO_LOCAL_REPLAY';

export type OperatorErrorCode = ReplayErrorCode | WayErrorCode;

/** The answer to a request was no, or there was none. The message is for people and names the way out. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly code: OperatorErrorCode;

  constructor(code: OperatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
