import type { Notification } from './notification.ts';

/** A push the provider did not take. Status and headers are where the classifier looks for them. */
export class PushError extends Error {
  override readonly name = 'PushError';
  readonly status: number;
  readonly headers: Headers;

  constructor(response: Response, detail: string) {
    super(`The push provider answered ${response.status}: ${detail}`);
    this.status = response.status;
    this.headers = response.headers;
  }
}

export interface PushCall {
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  readonly attempt: number;
}

/** Sends one push; rejects for any answer but success. */
export async function sendPush(notification: Notification, call: PushCall): Promise<void> {
  const response = await fetch(`${process.env.PUSH_URL}/push`, {
    method: 'POST',
    signal: call.signal,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': call.idempotencyKey,
      'x-attempt': String(call.attempt),
    },
    body: JSON.stringify(notification),
  });
  const text = await response.text();
  if (!response.ok) throw new PushError(response, text);
}
