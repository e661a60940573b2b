import { defineFlow } from '../../policy/define-flow.ts';
import { notificationSchema } from './notification.ts';

/** Sends push notifications through a provider with a rate limit for the whole account. */
export const flow = defineFlow({
  name: 'notifications',
  queue: 'notifications',
  bindings: [{ exchange: 'shop', type: 'topic', routingKey: 'notification.requested' }],
  owner: 'team-engagement',
  runbook: 'https://example.com/runbooks/notifications',
  impact: 'Customers hear late, or not at all, that their parcel is on its way.',
  critical: false,
  // Many short waits rather than few long ones: the provider's limit is per second.
  schedule: { delays: ['30s', '2m', '4m', '8m'], maxAttempts: 8 },
  rules: [{ name: 'device-unregistered', class: 'stale', when: { status: 410 } }],
  // The app was removed from the device: there is nobody left to notify.
  verdicts: { stale: 'discard' },
  // Old news is worse than none.
  replay: { automatic: ['transient', 'backpressure'], maxAge: '6h' },
  payload: notificationSchema,
  sensitive: ['deviceToken'],
  batch: { size: 20, window: '500ms' },
  parallelism: 5,
  handlerTimeout: '5s',
  lambda: { memoryMiB: 256, timeout: '1m' },
});
