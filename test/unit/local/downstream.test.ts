import { afterEach, describe, expect, it } from 'vitest';
import type { Downstream } from '../../../infra/local/downstream/downstream.ts';
import {
  type PaymentFate,
  startPaymentService,
} from '../../../infra/local/downstream/payment-service.ts';
import { startPushService } from '../../../infra/local/downstream/push-service.ts';
import { until } from '../../helpers/until.ts';

const running: Downstream[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((downstream) => downstream.stop()));
});

async function payments(
  fates: Record<string, PaymentFate> = {},
  outageMs = 200,
): Promise<Downstream> {
  const options = {
    fates: new Map(Object.entries(fates)),
    outageMs,
    longOutageCalls: 2,
    retryAfterSeconds: 1,
  };
  const downstream = await startPaymentService(options);
  running.push(downstream);
  return downstream;
}

interface Call {
  readonly key?: string;
  readonly attempt?: number;
  readonly body?: unknown;
  readonly path?: string;
}

function pay(downstream: Downstream, orderId: string, call: Call = {}): Promise<Response> {
  const headers: Record<string, string> = {};
  if (call.key !== undefined) headers['idempotency-key'] = call.key;
  if (call.attempt !== undefined) headers['x-attempt'] = String(call.attempt);
  const body = call.body ?? JSON.stringify({ orderId });
  return fetch(`${downstream.url}${call.path ?? '/payments'}`, {
    method: 'POST',
    headers,
    body: String(body),
  });
}

describe('a downstream', () => {
  it('accepts a call and writes it down with key and attempt', async () => {
    const downstream = await payments();
    const response = await pay(downstream, 'o-1', { key: 'k-1', attempt: 2 });
    expect(response.status).toBe(201);
    expect(downstream.ledger.entries).toMatchObject([
      { workId: 'o-1', key: 'k-1', attempt: 2, status: 201, outcome: 'applied' },
    ]);
  });

  it('applies the effect of a key once and answers the repetition all the same', async () => {
    const downstream = await payments();
    await pay(downstream, 'o-1', { key: 'k-1' });
    const repeated = await pay(downstream, 'o-1', { key: 'k-1' });
    expect(repeated.status).toBe(201);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(downstream.ledger.entries.map(({ outcome }) => outcome)).toEqual([
      'applied',
      'repeated',
    ]);
  });

  it('applies the effect again for another key, and for none', async () => {
    const downstream = await payments();
    for (const call of [{ key: 'k-1' }, { key: 'k-2' }, {}, {}]) await pay(downstream, 'o-1', call);
    expect(downstream.ledger.entries.every(({ outcome }) => outcome === 'applied')).toBe(true);
    expect(downstream.ledger.accepted).toBe(4);
  });

  it.each([
    ['is no JSON', 'oops'],
    ['has no id', '{}'],
    ['has an id that is no text', '{"orderId":7}'],
    ['is null', 'null'],
  ])('refuses a body that %s, without writing down an effect', async (_what, body) => {
    const downstream = await payments();
    expect((await pay(downstream, 'o-1', { body })).status).toBe(400);
    expect(downstream.ledger.accepted).toBe(0);
  });

  it('serves its own path only', async () => {
    const downstream = await payments();
    expect((await pay(downstream, 'o-1', { path: '/refunds' })).status).toBe(404);
  });
});

describe('the payment service', () => {
  it('declines a card now and always with 422', async () => {
    const downstream = await payments({ 'o-1': 'declined' });
    expect((await pay(downstream, 'o-1')).status).toBe(422);
    expect((await pay(downstream, 'o-1')).status).toBe(422);
    expect(downstream.ledger.refusals().get(422)).toBe(2);
  });

  it('limits the rate with Retry-After, and means it', async () => {
    const downstream = await payments({ 'o-1': 'rate-limit' });
    const limited = await pay(downstream, 'o-1');
    expect(limited.status).toBe(429);
    expect(limited.headers.get('retry-after')).toBe('1');
    expect((await pay(downstream, 'o-1')).status).toBe(429);
    await until('the limit has ended', async () => (await pay(downstream, 'o-1')).status === 201);
  });

  it('has an outage that ends', async () => {
    const downstream = await payments({ 'o-1': 'outage' });
    expect((await pay(downstream, 'o-1')).status).toBe(503);
    await until('the outage has ended', async () => {
      const response = await pay(downstream, 'o-1').catch(() => undefined);
      return response?.status === 201;
    });
  });

  it('has banks that are down for all of an order’s retries and then work, each on its own', async () => {
    const downstream = await payments({ 'o-1': 'long-outage', 'o-3': 'long-outage' }, 1);
    expect((await pay(downstream, 'o-1')).status).toBe(503);
    expect((await pay(downstream, 'o-2')).status).toBe(201);
    expect((await pay(downstream, 'o-1')).status).toBe(503);
    expect((await pay(downstream, 'o-1')).status).toBe(201);
    expect((await pay(downstream, 'o-3')).status).toBe(503);
  });

  it('cuts every fourth connection of an outage without an answer', async () => {
    const downstream = await payments({ 'o-1': 'outage' }, 60_000);
    const statuses: (number | string)[] = [];
    for (let n = 0; n < 4; n++) {
      statuses.push(
        await pay(downstream, 'o-1').then(
          ({ status }) => status,
          () => 'cut off',
        ),
      );
    }
    expect(statuses).toEqual([503, 503, 503, 'cut off']);
    expect(downstream.ledger.refusals().get(0)).toBe(1);
  });
});

describe('the push service', () => {
  it('takes what its rate allows and answers the rest with 429 and Retry-After', async () => {
    const downstream = await startPushService({ ratePerSecond: 3, unregistered: new Set() });
    running.push(downstream);
    const send = () =>
      fetch(`${downstream.url}/push`, { method: 'POST', body: '{"notificationId":"n-1"}' });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await send()).status);
    expect(statuses.slice(0, 3)).toEqual([201, 201, 201]);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status === 429)).toHaveLength(
      downstream.ledger.refusals().get(429) ?? 0,
    );
    await until('the bucket has filled', async () => (await send()).status === 201);
  });

  it('knows devices that are gone', async () => {
    const downstream = await startPushService({
      ratePerSecond: 100,
      unregistered: new Set(['n-1']),
    });
    running.push(downstream);
    const response = await fetch(`${downstream.url}/push`, {
      method: 'POST',
      body: '{"notificationId":"n-1"}',
    });
    expect(response.status).toBe(410);
  });
});
