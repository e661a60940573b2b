import { describe, expect, it } from 'vitest';
import { flow } from '../../../functions/flows/orders/flow.ts';
import { memberDiscount } from '../../../functions/flows/orders/loyalty.ts';
import { type Order, orderSchema } from '../../../functions/flows/orders/order.ts';
import { PaymentError, takePayment } from '../../../functions/flows/orders/payment.ts';
import { pickingSlips } from '../../../functions/flows/orders/picking.ts';
import type { FlowMessage } from '../../../functions/policy/types.ts';
import { startPaymentService } from '../../../infra/local/downstream/payment-service.ts';

const ORDER: Order = {
  orderId: 'o-1',
  customer: { id: 'c-1', country: 'SE' },
  lines: [
    { sku: 'a', quantity: 2 },
    { sku: 'b', quantity: 1 },
  ],
  amountCents: 1000,
  currency: 'EUR',
};

const call = () => ({ signal: AbortSignal.timeout(5_000), idempotencyKey: 'k-1', attempt: 3 });
const payment = { orderId: 'o-1', amountCents: 1000, currency: 'EUR' };

describe('an order', () => {
  it('is accepted as the shop sends it', () => {
    expect(orderSchema.parse(ORDER)).toEqual(ORDER);
  });

  it.each([
    ['no customer', { ...ORDER, customer: undefined }],
    ['a negative amount', { ...ORDER, amountCents: -1 }],
    ['no lines', { ...ORDER, lines: [] }],
    ['half a unit', { ...ORDER, lines: [{ sku: 'a', quantity: 0.5 }] }],
    ['a currency we do not take', { ...ORDER, currency: 'XXX' }],
  ])('is refused with %s', (_what, order) => {
    expect(orderSchema.safeParse(order).success).toBe(false);
  });

  it('becomes a picking slip per unit', () => {
    expect(pickingSlips(ORDER)).toEqual(['a', 'a', 'b']);
  });

  it.each([
    [undefined, 0],
    ['gold', 0.1],
    ['basic', 0.02],
  ])('of a member in tier %s has its discount', (tier, discount) => {
    const loyalty = tier && JSON.stringify({ member: { tier } });
    expect(memberDiscount(loyalty ? { ...ORDER, loyalty } : ORDER)).toBe(discount);
  });

  it('with a loyalty token that has no member meets the mistake left in on purpose', () => {
    const order = { ...ORDER, loyalty: '{"guest":{}}' };
    expect(() => memberDiscount(order)).toThrow(TypeError);
  });

  it.each([
    [{ customer: { country: 'DE' } }, 'DE'],
    [undefined, 'unknown'],
    [{ customer: null }, 'unknown'],
    [{ customer: { country: 7 } }, 'unknown'],
    ['text', 'unknown'],
  ])('is labelled by country, whatever the payload is: %j', (payload, country) => {
    expect(flow.labels?.({ payload } as FlowMessage)).toEqual({ country });
  });
});

describe('takePayment', () => {
  it('sends key and attempt, and is content with an accepted payment', async () => {
    const service = await startPaymentService({
      fates: new Map(),
      outageMs: 0,
      longOutageCalls: 5,
      retryAfterSeconds: 1,
    });
    process.env.PAYMENT_URL = service.url;
    await takePayment(payment, call());
    await service.stop();
    expect(service.ledger.entries).toMatchObject([{ workId: 'o-1', key: 'k-1', attempt: 3 }]);
  });

  it('throws what the classifier needs: status and headers', async () => {
    const fates = new Map([['o-1', 'rate-limit' as const]]);
    const service = await startPaymentService({
      fates,
      outageMs: 0,
      longOutageCalls: 5,
      retryAfterSeconds: 7,
    });
    process.env.PAYMENT_URL = service.url;
    const error: unknown = await takePayment(payment, call()).catch((thrown: unknown) => thrown);
    await service.stop();
    expect(error).toBeInstanceOf(PaymentError);
    expect(error).toMatchObject({ name: 'PaymentError', status: 429 });
    expect((error as PaymentError).headers.get('retry-after')).toBe('7');
  });

  it('ends when its signal aborts', async () => {
    const service = await startPaymentService({
      fates: new Map(),
      outageMs: 0,
      longOutageCalls: 5,
      retryAfterSeconds: 1,
    });
    process.env.PAYMENT_URL = service.url;
    const ended = takePayment(payment, { ...call(), signal: AbortSignal.abort() });
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' });
    await service.stop();
  });
});
