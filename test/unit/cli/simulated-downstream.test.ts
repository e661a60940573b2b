import { describe, expect, it, onTestFinished } from 'vitest';
import { simulatedDownstream } from '../../../cli/simulated-downstream.ts';

describe('a simulated downstream', () => {
  it.each([
    ['orders', 'PAYMENT_URL', '/payments', { orderId: 'o-1' }],
    ['notifications', 'PUSH_URL', '/push', { notificationId: 'n-1' }],
  ])('says yes to what %s asks', async (flow, variable, path, body) => {
    const simulated = await simulatedDownstream(flow, {});
    onTestFinished(() => simulated?.downstream.stop());
    expect(simulated?.variable).toBe(variable);
    const answer = await fetch(`${simulated?.downstream.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k-1' },
      body: JSON.stringify(body),
    });
    expect(answer.ok, await answer.text()).toBe(true);
  });

  it('stays away when the environment names the real one', async () => {
    expect(await simulatedDownstream('orders', { PAYMENT_URL: 'http://pay' })).toBeUndefined();
  });

  it('is not there for a flow the local run knows nothing about', async () => {
    expect(await simulatedDownstream('refunds', {})).toBeUndefined();
  });
});
