import { type Downstream, startDownstream } from './downstream.ts';

/** What the payment service has in store for an order; no entry means it is paid. */
export type PaymentFate =
  /** The acquirer is down until the outage ends; then it works. */
  | 'outage'
  /** The order's own bank is down for longer than the retries last, and then works. */
  | 'long-outage'
  /** 429 with Retry-After, until that time has passed. */
  | 'rate-limit'
  /** 422: the card is refused, now and always. */
  | 'declined';

export interface PaymentServiceOptions {
  readonly fates: ReadonlyMap<string, PaymentFate>;
  /** Length of the outage, from the first call that meets it. */
  readonly outageMs: number;
  /** Length of the long one: it takes so many calls for an order, however long they take to come. */
  readonly longOutageCalls: number;
  /** Whole seconds, as HTTP wants them. */
  readonly retryAfterSeconds: number;
}

/**
 * A payment provider that is like the real ones: an acquirer's outage shows as 503 and now and then
 * as a cut connection, rate limits come with Retry-After, a refused card is final.
 */
export function startPaymentService(options: PaymentServiceOptions): Promise<Downstream> {
  let outageEndsAtMs: number | undefined;
  const bankCalls = new Map<string, number>();
  const limitedUntilMs = new Map<string, number>();
  let outageCalls = 0;

  return startDownstream({
    name: 'payments',
    path: '/payments',
    workIdField: 'orderId',
    workMs: 5,
    answer: ({ workId, nowMs }) => {
      const fate = options.fates.get(workId);
      switch (fate) {
        case undefined:
          break;
        case 'declined':
          return { kind: 'refuse', status: 422, body: { error: 'card_declined', orderId: workId } };
        case 'rate-limit': {
          const until = limitedUntilMs.get(workId) ?? nowMs + options.retryAfterSeconds * 1000;
          limitedUntilMs.set(workId, until);
          if (nowMs >= until) break;
          const retryAfterSeconds = Math.ceil((until - nowMs) / 1000);
          return {
            kind: 'refuse',
            status: 429,
            body: { error: 'rate_limited' },
            retryAfterSeconds,
          };
        }
        case 'outage':
          outageEndsAtMs ??= nowMs + options.outageMs;
          if (nowMs >= outageEndsAtMs) break;
          outageCalls++;
          if (outageCalls % 4 === 0) return { kind: 'cut' };
          return { kind: 'refuse', status: 503, body: { error: 'acquirer_unavailable' } };
        case 'long-outage': {
          const calls = (bankCalls.get(workId) ?? 0) + 1;
          bankCalls.set(workId, calls);
          if (calls > options.longOutageCalls) break;
          return { kind: 'refuse', status: 503, body: { error: 'bank_unavailable' } };
        }
      }
      return { kind: 'accept', body: { paymentId: `pay-${workId}`, status: 'captured' } };
    },
  });
}
