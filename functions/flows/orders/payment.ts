/** A payment that was not taken. Status and headers are where the classifier looks for them. */
export class PaymentError extends Error {
  override readonly name = 'PaymentError';
  readonly status: number;
  readonly headers: Headers;

  constructor(response: Response, detail: string) {
    super(`The payment service answered ${response.status}: ${detail}`);
    this.status = response.status;
    this.headers = response.headers;
  }
}

export interface Payment {
  readonly orderId: string;
  readonly amountCents: number;
  readonly currency: string;
}

export interface PaymentCall {
  /** Ends the call when the handler's time is over. */
  readonly signal: AbortSignal;
  /** The same over retries and replays: the service takes the payment once, however often it is asked. */
  readonly idempotencyKey: string;
  readonly attempt: number;
}

/**
 * Takes a payment. Rejects with a {@link PaymentError} for any answer but success, and with what
 * `fetch` throws when there is no answer; both say enough for the classifier.
 */
export async function takePayment(payment: Payment, call: PaymentCall): Promise<void> {
  const response = await fetch(`${process.env.PAYMENT_URL}/payments`, {
    method: 'POST',
    signal: call.signal,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': call.idempotencyKey,
      'x-attempt': String(call.attempt),
    },
    body: JSON.stringify(payment),
  });
  // Read in any case: an unread body keeps the connection from being used again.
  const text = await response.text();
  if (!response.ok) throw new PaymentError(response, text);
}
