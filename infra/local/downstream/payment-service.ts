import { type Downstream, startDownstream } from './downstream.ts';

/** What the payment service has in store for an order; no entry means it is paid. */
export type PaymentFate =
  /** The acquirer is down until the outage ends; then it works. */
  | 'outage'
  /** The acquirer is down and does not come back in this run. */
  | 'gone'
  /** 429 with Retry-After, until that time has passed. */
  | 'rate-limit'
  /** 422: the card is refused, now and always. */
  | 'declined';

export interface PaymentServiceOptions {
  readonly fates: ReadonlyMap<string, PaymentFate>;
  /** Length of the outage, from the first call that meets it. */
  readonly outageMs: number;
  /** Whole seconds, as HTTP wants them. */
  readonly retryAfterSeconds: number;
}

/**
 * A payment provider that is like the real ones: an acquirer's outage shows as 503 and now and then
 * as a cut connection, rate limits come with Retry-After, a refused card is final.
 */
export function startPaymentService(options: PaymentServiceOptions): Promise<Downstream> {
  let outageEndsAtMs: number | undefined;
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
        case 'gone': {
          outageEndsAtMs ??= nowMs + options.outageMs;
          if (fate === 'outage' && nowMs >= outageEndsAtMs) break;
          outageCalls++;
          if (outageCalls % 4 === 0) return { kind: 'cut' };
          return { kind: 'refuse', status: 503, body: { error: 'acquirer_unavailable' } };
        }
      }
      return { kind: 'accept', body: { paymentId: `pay-${workId}`, status: 'captured' } };
    },
  });
}
