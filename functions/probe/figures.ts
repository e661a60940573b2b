/** What the management API says of one queue. Absent figures are unknown, which is not 0. */
export interface QueueFigures {
  /** Ready and unacknowledged, and on a wait queue those being dead-lettered as well. */
  readonly messages?: number;
  /** Expired, and not taken by their target yet. */
  readonly deadLettering?: number;
  readonly consumers?: number;
  /** Published by clients since the broker started counting; dead letters are not among them. */
  readonly published?: number;
  /** Acknowledged since the broker started counting. */
  readonly acknowledged?: number;
}

/** The columns asked for: the whole listing of a large broker is megabytes. */
export const COLUMNS = [
  'name',
  'messages',
  'messages_dlx',
  'consumers',
  'message_stats.publish',
  'message_stats.ack',
].join(',');

/**
 * Reads the listing `GET /api/queues/<vhost>`. Whatever is no queue with a name is left out, and a
 * figure that is no number is absent: a queue whose leader is away has none.
 */
export function readFigures(listing: unknown): ReadonlyMap<string, QueueFigures> {
  const found = new Map<string, QueueFigures>();
  if (!Array.isArray(listing)) return found;
  for (const entry of listing as unknown[]) {
    if (!isTable(entry) || typeof entry.name !== 'string') continue;
    const stats = entry.message_stats;
    const counts = isTable(stats) ? stats : undefined;
    found.set(entry.name, {
      ...figure('messages', entry.messages),
      ...figure('deadLettering', entry.messages_dlx),
      ...figure('consumers', entry.consumers),
      // A queue nobody published to has no statistics: its counters stand at 0.
      ...figure('published', counts === undefined ? 0 : (counts.publish ?? 0)),
      ...figure('acknowledged', counts === undefined ? 0 : (counts.ack ?? 0)),
    });
  }
  return found;
}

function figure(name: keyof QueueFigures, value: unknown): QueueFigures {
  return typeof value === 'number' && Number.isFinite(value) ? { [name]: value } : {};
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
