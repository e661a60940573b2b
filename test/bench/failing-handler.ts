import { consumer } from '../../functions/consumer/consumer.ts';
import { benchFlow } from './flow.ts';

/** Fails every message, as in an outage of its downstream. */
export const handler = consumer(benchFlow, async () => {
  throw Object.assign(new Error('The payment service answered 503'), { status: 503 });
});
