export type EnvironmentErrorCode =
  | 'unknown-environment'
  | 'unknown-key'
  | 'unknown-flow'
  | 'bad-value'
  | 'engine'
  | 'cross-account'
  | 'queue-quota';

/** An environment, or the flows in it, can't be deployed as written. Thrown at synth, before anything is built. */
export class EnvironmentError extends Error {
  readonly code: EnvironmentErrorCode;

  constructor(code: EnvironmentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EnvironmentError';
    this.code = code;
  }
}
