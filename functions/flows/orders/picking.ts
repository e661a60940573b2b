import type { Order } from './order.ts';

/**
 * One picking slip per unit, for the warehouse.
 *
 * There is no upper limit to a quantity, another mistake left in on purpose: an order of tens of
 * millions takes more memory than the function has, which kills it together with the rest of its
 * batch. The local run sends one, to show how such a message is isolated and convicted.
 */
export function pickingSlips(order: Order): string[] {
  return order.lines.flatMap(({ sku, quantity }) => new Array<string>(quantity).fill(sku));
}
