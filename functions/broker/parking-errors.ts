export type ParkingErrorCode =
  | 'PARKING_LOCKED'
  | 'PARKING_MISSING'
  | 'PARKING_LOST'
  | 'PARKING_UNSETTLED';

/**
 * `PARKING_LOCKED`: somebody else works on the parking queue. `PARKING_MISSING`: there is no such queue.
 * `PARKING_UNSETTLED`: acknowledgements were sent, and nobody knows whether they were all carried out.
 * `PARKING_LOST`: channel or connection ended; what was held went back to the queue, in its order.
 */
export class ParkingError extends Error {
  override readonly name = 'ParkingError';
  readonly code: ParkingErrorCode;

  constructor(code: ParkingErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
