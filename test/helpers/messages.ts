import type { Message, MessageState } from '../../functions/message/types.ts';

export interface MessageParts extends Partial<Omit<Message, 'state'>> {
  readonly state?: Partial<MessageState>;
}

/** A message read from queue `orders` for the first time; parts replace what a test is about. */
export function aMessage({ state, ...parts }: MessageParts = {}): Message {
  return {
    queue: 'orders',
    vhost: '/',
    properties: { messageId: 'm-1', contentType: 'application/json' },
    headers: Object.create(null),
    body: Buffer.from('{"orderId":"o-1"}'),
    redelivered: false,
    deaths: [],
    ...parts,
    state: {
      own: false,
      retryCount: 0,
      suspect: false,
      origin: {},
      replay: { count: 0 },
      ...state,
    },
  };
}
