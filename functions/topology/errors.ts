export type TopologyErrorCode =
  /** A delay that is no whole number of milliseconds from 1 up. */
  | 'BAD_DELAY'
  /** A name or routing key over 255 bytes, empty, or reserved by the broker. */
  | 'BAD_NAME'
  /** Two flows, or two queues of one flow, want the same name with different meaning. */
  | 'CONFLICT'
  /** A queue argument that would lose, delete or wedge messages. */
  | 'BAD_ARGUMENT'
  /** A binding that can't be made. */
  | 'BAD_BINDING'
  /** The broker is not as the model wants it, and can't be made so. */
  | 'NOT_APPLIED'
  /** The broker went away, or stopped answering, while a topology was applied. */
  | 'INTERRUPTED';

/** A topology that must not be built, or could not be applied. The message says what to change. */
export class TopologyError extends Error {
  override readonly name: string = 'TopologyError';
  readonly code: TopologyErrorCode;

  constructor(code: TopologyErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
