import * as z from 'zod';

/** An order as the shop publishes it. Anything else is parked as `invalid`, with what was wrong. */
export const orderSchema = z.object({
  orderId: z.string().min(1),
  customer: z.object({ id: z.string().min(1), country: z.string().length(2) }),
  lines: z.array(z.object({ sku: z.string().min(1), quantity: z.int().positive() })).min(1),
  amountCents: z.int().positive(),
  currency: z.enum(['EUR', 'SEK', 'USD']),
  /** The loyalty programme's own JSON, passed on by the shop as text. */
  loyalty: z.string().optional(),
});

export type Order = z.infer<typeof orderSchema>;
