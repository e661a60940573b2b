import type { RabbitMqEvent } from '../../functions/message/event.ts';

/** A Lambda event of `count` records with bodies of `bodyBytes`, as the mapping would hand it over. */
export function anEvent(queue: string, count: number, bodyBytes: number): RabbitMqEvent {
  const bytes = (text: string) => ({ bytes: [...Buffer.from(text)] });
  const filling = 'x'.repeat(Math.max(0, bodyBytes - 40));
  const records = Array.from({ length: count }, (_, n) => ({
    basicProperties: {
      contentType: 'application/json',
      contentEncoding: null,
      headers: { tenant: bytes('acme'), trace: bytes(`00-${n}-01`) },
      deliveryMode: 2,
      priority: null,
      correlationId: `c-${n}`,
      replyTo: null,
      expiration: null,
      messageId: `bench-${n}`,
      timestamp: 'Nov 30, 2026, 8:13:18 PM',
      type: 'OrderPlaced',
      userId: null,
      appId: 'shop',
      clusterId: null,
      bodySize: bodyBytes,
    },
    redelivered: false,
    data: Buffer.from(JSON.stringify({ n, filling })).toString('base64'),
  }));
  return {
    eventSource: 'aws:rmq',
    eventSourceArn: 'arn:aws:mq:eu-central-1:123456789012:broker:bench:b-1',
    rmqMessagesByQueue: { [`${queue}::/`]: records },
  } as RabbitMqEvent;
}
