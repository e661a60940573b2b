import { consumer } from '../../consumer/consumer.ts';
import { flow } from './flow.ts';
import { sendPush } from './push.ts';

export const handler = consumer(flow, ({ payload: notification }, call) =>
  sendPush(notification, call),
);
