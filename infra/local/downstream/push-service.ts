import { type Downstream, startDownstream } from './downstream.ts';

export interface PushServiceOptions {
  /** Calls it takes per second; the bucket holds one second's worth. */
  readonly ratePerSecond: number;
  /** Notifications whose device is gone for good: 410. */
  readonly unregistered: ReadonlySet<string>;
}

/** A push provider with a rate limit for the whole account: a token bucket, 429 with Retry-After. */
export function startPushService(options: PushServiceOptions): Promise<Downstream> {
  let tokens = options.ratePerSecond;
  let filledAtMs = Date.now();

  return startDownstream({
    name: 'push',
    path: '/push',
    workIdField: 'notificationId',
    workMs: 2,
    answer: ({ workId, nowMs }) => {
      const gained = (Math.max(0, nowMs - filledAtMs) / 1000) * options.ratePerSecond;
      tokens = Math.min(options.ratePerSecond, tokens + gained);
      filledAtMs = nowMs;
      if (tokens < 1) {
        return { kind: 'refuse', status: 429, body: { error: 'too_many' }, retryAfterSeconds: 1 };
      }
      tokens--;
      if (options.unregistered.has(workId)) {
        return { kind: 'refuse', status: 410, body: { error: 'device_unregistered' } };
      }
      return { kind: 'accept', body: { pushId: `push-${workId}` } };
    },
  });
}
