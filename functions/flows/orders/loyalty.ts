import type { Order } from './order.ts';

interface Loyalty {
  readonly member: { readonly tier: 'basic' | 'gold' };
}

/**
 * The discount of a loyalty member, from 0 to 1.
 *
 * The cast is a mistake left in on purpose: nobody checked what the loyalty programme sends, and a
 * token without a member makes this throw a TypeError. The local run sends some, to show what a
 * handler's bug looks like when it is parked.
 */
export function memberDiscount(order: Order): number {
  if (order.loyalty === undefined) return 0;
  const loyalty = JSON.parse(order.loyalty) as Loyalty;
  return loyalty.member.tier === 'gold' ? 0.1 : 0.02;
}
