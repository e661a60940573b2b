import * as z from 'zod';

/** A notification for one device of a customer. */
export const notificationSchema = z.object({
  notificationId: z.string().min(1),
  deviceToken: z.string().min(8),
  title: z.string().min(1).max(80),
  text: z.string().max(500),
});

export type Notification = z.infer<typeof notificationSchema>;
