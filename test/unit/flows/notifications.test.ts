import { describe, expect, it } from 'vitest';
import { flow } from '../../../functions/flows/notifications/flow.ts';
import { PushError, sendPush } from '../../../functions/flows/notifications/push.ts';
import { classify } from '../../../functions/policy/classify.ts';
import { startPushService } from '../../../infra/local/downstream/push-service.ts';

const notification = { notificationId: 'n-1', deviceToken: 'device-1', title: 'Hello', text: '' };
const call = () => ({ signal: AbortSignal.timeout(5_000), idempotencyKey: 'k-1', attempt: 1 });

const OPTIONS = { now: new Date(), rules: flow.rules, sensitive: flow.sensitive };

async function answerOf(unregistered: readonly string[], ratePerSecond: number): Promise<unknown> {
  const service = await startPushService({ ratePerSecond, unregistered: new Set(unregistered) });
  process.env.PUSH_URL = service.url;
  try {
    return await sendPush(notification, call()).catch((thrown: unknown) => thrown);
  } finally {
    await service.stop();
  }
}

describe('sendPush', () => {
  it('is content when the provider took the push', async () => {
    expect(await answerOf([], 10)).toBeUndefined();
  });

  it('throws what the classifier needs when the provider did not', async () => {
    const error = await answerOf(['n-1'], 10);
    expect(error).toBeInstanceOf(PushError);
    expect(error).toMatchObject({ name: 'PushError', status: 410 });
  });
});

describe('the flow', () => {
  it('discards what was meant for a device that is gone', async () => {
    const failure = classify(await answerOf(['n-1'], 10), OPTIONS);
    expect(failure).toMatchObject({ class: 'stale', rule: 'device-unregistered' });
    expect(flow.verdicts.stale).toMatchObject({ action: 'discard' });
  });

  it('backs off from the provider’s rate limit for as long as it says', async () => {
    const failure = classify(await answerOf([], 0), OPTIONS);
    expect(failure).toMatchObject({ class: 'backpressure', retryAfterMs: 1_000 });
  });
});
