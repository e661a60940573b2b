import { basicAuthOf } from '../broker/management.ts';

/** The management API of the broker and how to log in. */
export interface Management {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly authorization: string;
  readonly vhost: string;
}

const REQUEST_LIMIT_MS = 5_000;

/** The API of a broker that has one; undefined without. */
export function managementOf(amqpUrl: string, managementUrl?: string): Management | undefined {
  if (managementUrl === undefined) return undefined;
  return {
    url: managementUrl.replace(/\/$/, ''),
    authorization: basicAuthOf(amqpUrl),
    vhost: vhostOf(amqpUrl),
  };
}

/** The virtual host an AMQP URL names; `/` when it names none. */
export function vhostOf(amqpUrl: string): string {
  const path = new URL(amqpUrl).pathname.slice(1);
  return path === '' ? '/' : decodeURIComponent(path);
}

/**
 * Asks for the totals without the statistics, which are some seconds older still. What remains is the
 * interval of 5 seconds at which a quorum queue reports itself.
 */
const TOTALS_ONLY = 'disable_stats=true&enable_queue_totals=true';

/** All messages of one queue in any state; undefined when the API doesn't say. */
export async function queueTotals(
  management: Management,
  queue: string,
): Promise<number | undefined> {
  const { url, authorization, vhost } = management;
  const path = `/api/queues/${encodeURIComponent(vhost)}/${encodeURIComponent(queue)}`;
  try {
    const response = await fetch(`${url}${path}?${TOTALS_ONLY}`, {
      headers: { authorization },
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    if (!response.ok) return undefined;
    const { messages } = (await response.json()) as { readonly messages?: unknown };
    return typeof messages === 'number' ? messages : undefined;
  } catch {
    return undefined;
  }
}
