import { defineFlow } from '../../policy/define-flow.ts';
import { orderSchema } from './order.ts';

/** Charges the customer of every order placed. */
export const flow = defineFlow({
  name: 'orders',
  queue: 'orders',
  bindings: [{ exchange: 'shop', type: 'topic', routingKey: 'order.placed' }],
  owner: 'team-checkout',
  runbook: 'https://example.com/runbooks/orders',
  impact: 'Customers have ordered and are not charged; nothing is shipped to them.',
  critical: true,
  schedule: { delays: ['10s', '1m', '5m', '30m'] },
  // An acquirer's outage outlasts the schedule now and then; what it left behind replays itself.
  replay: { automatic: ['transient', 'backpressure'], minAge: '10m' },
  payload: orderSchema,
  labels: ({ payload }) => ({ country: countryOf(payload) }),
  sensitive: ['loyalty'],
  batch: { size: 50, window: '500ms' },
  parallelism: 10,
  handlerTimeout: '5s',
  lambda: { memoryMiB: 256, timeout: '1m' },
});

/** Labels are asked for before the payload was validated, so nothing is taken for granted. */
function countryOf(payload: unknown): string {
  const { customer } = (payload ?? {}) as { customer?: { country?: unknown } };
  return typeof customer?.country === 'string' ? customer.country : 'unknown';
}
