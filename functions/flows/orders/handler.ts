import { consumer } from '../../consumer/consumer.ts';
import { flow } from './flow.ts';
import { memberDiscount } from './loyalty.ts';
import { takePayment } from './payment.ts';
import { pickingSlips } from './picking.ts';

export const handler = consumer(flow, async ({ payload: order }, call) => {
  const slips = pickingSlips(order);
  const amountCents = Math.round(order.amountCents * (1 - memberDiscount(order)));
  await takePayment({ orderId: order.orderId, amountCents, currency: order.currency }, call);
  call.log.debug('order charged', { orderId: order.orderId, slips: slips.length });
});
