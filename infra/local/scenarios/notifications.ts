import { startPushService } from '../downstream/push-service.ts';
import { between, pick } from '../random.ts';
import { dealFates, type FateShares } from './fates.ts';
import type { FlowPlan, FlowScenario, PlannedMessage, PlanOptions } from './types.ts';

type Fate = 'fine' | 'invalid' | 'unregistered' | 'twice';

/** Parts per thousand; the rest is fine, as far as the provider's rate limit lets it. */
const SHARES: FateShares<Fate> = { fine: 0, invalid: 20, unregistered: 30, twice: 20 };

/** The provider takes this part of all notifications per second, so that a burst meets its limit. */
const RATE_PART = 0.2;

/** Parcels on their way, told to devices through a provider with a rate limit. */
export const notificationsScenario: FlowScenario = { flow: 'notifications', share: 0.2, plan };

function plan({ count, random, seed }: PlanOptions): FlowPlan {
  const messages: PlannedMessage[] = [];
  const unregistered = new Set<string>();
  const fates = dealFates<Fate>(random, count, {
    shares: SHARES,
    otherwise: 'fine',
    twice: 'twice',
  });
  for (const [index, fate] of fates.entries()) {
    const number = String(index + 1).padStart(5, '0');
    const workId = `n-${seed}-${number}`;
    if (fate === 'unregistered') unregistered.add(workId);
    const notification = {
      notificationId: workId,
      deviceToken: fate === 'invalid' ? 'none' : `device-${between(random, 10_000, 99_999)}`,
      title: pick(random, ['Your parcel is on its way', 'Your parcel was delivered']),
      text: 'Follow it in the app.',
    };
    const message: PlannedMessage = {
      messageId: `notification-${seed}-${number}`,
      workId,
      fate,
      exchange: 'shop',
      routingKey: 'notification.requested',
      type: 'NotificationRequested',
      body: Buffer.from(JSON.stringify(notification)),
    };
    messages.push(message);
    if (fate === 'twice') messages.push({ ...message });
  }
  return {
    messages,
    urlVariable: 'PUSH_URL',
    startDownstream: () =>
      startPushService({ ratePerSecond: Math.max(10, Math.ceil(count * RATE_PART)), unregistered }),
  };
}
