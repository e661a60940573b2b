export type ReplayErrorCode =
  | 'PLAN_UNKNOWN'
  | 'PLAN_EXPIRED'
  | 'PLAN_USED'
  | 'PLAN_DAMAGED'
  | 'WRONG_ENVIRONMENT'
  | 'WRONG_FLOW'
  | 'RUN_ACTIVE'
  | 'LOCK_HELD'
  | 'LEASE_LOST'
  | 'SWITCHED_OFF'
  | 'BAD_REQUEST'
  | 'FLOW_UNKNOWN'
  | 'MESSAGE_UNKNOWN'
  /** The answer would not fit through Lambda. */
  | 'TOO_LARGE'
  /** Not all pollers of a flow could be switched. */
  | 'POLLERS'
  | 'FORBIDDEN'
  | 'STORE';

/** A replay that can't be planned, started or gone on with. The message says what to do about it. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
  readonly code: ReplayErrorCode;

  constructor(code: ReplayErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
