const ASK_TIMEOUT_MS = 3_000;

/**
 * Where the management API of a broker most likely is: Amazon MQ serves it on 443 of the same host,
 * everybody else 10,000 above the AMQP port (5672 → 15672).
 */
export function guessManagementUrl(amqpUrl: string): string {
  const { protocol, hostname, port } = new URL(amqpUrl);
  if (protocol === 'amqps:') return `https://${hostname}`;
  return `http://${hostname}:${Number(port || 5672) + 10_000}`;
}

/** `Authorization` header value from the credentials in an AMQP URL; `guest:guest` when it has none, as brokers have it. */
export function basicAuthOf(amqpUrl: string): string {
  const { username, password } = new URL(amqpUrl);
  const user = decodeURIComponent(username) || 'guest';
  const secret = username === '' ? 'guest' : decodeURIComponent(password);
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
}

/** Whether a management API answers there to the credentials of the AMQP URL. Never throws. */
export async function hasManagement(managementUrl: string, amqpUrl: string): Promise<boolean> {
  try {
    const answer = await fetch(`${managementUrl}/api/overview`, {
      headers: { authorization: basicAuthOf(amqpUrl) },
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    const body: unknown = await answer.json();
    return answer.ok && typeof body === 'object' && body !== null && 'rabbitmq_version' in body;
  } catch {
    return false;
  }
}
