import { consumer } from '../../../../functions/consumer/consumer.ts';
import { flow } from './flow.ts';

export const handler = consumer(flow, async ({ messageId }, { log }) => {
  log.info('invoice sent', { messageId });
});
