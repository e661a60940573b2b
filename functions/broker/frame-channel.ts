import type { ConfirmChannel } from 'amqplib';
import { ChannelError } from './errors.ts';

/** What amqplib 2.3 has inside, beside what its types tell. */
interface Inner {
  readonly ch: number;
  readonly connection: {
    readonly frameMax: number;
    readonly channels: readonly ({ readonly channel: unknown; readonly buffer: Writable } | null)[];
    sentSinceLastCheck: boolean;
  };
  pushConfirmCallback(onConfirm: OnConfirm): void;
}

interface Writable {
  write(bytes: Buffer): boolean;
}

export type OnConfirm = (error: unknown) => void;

/** A confirm channel that takes frames as they are, in order with everything amqplib writes itself. */
export interface FrameChannel {
  readonly number: number;
  readonly frameMaxBytes: number;
  /**
   * Writes one publish and notes its confirm, as amqplib's own `publish` does.
   * False: taken, but hold what follows until 'drain'.
   * @throws ChannelError `CHANNEL_CLOSED`; nothing is written then
   */
  write(frames: Buffer, onConfirm: OnConfirm): boolean;
}

/**
 * amqplib can't be given frames, so its channel's buffer is reached for.
 * @throws ChannelError when this amqplib has another inside than the 2.3 that is known
 */
export function frameChannel(channel: ConfirmChannel): FrameChannel {
  const inner = channel as unknown as Inner;
  if (typeof inner.pushConfirmCallback !== 'function' || bufferOf(inner) === undefined) {
    throw new ChannelError(
      'CHANNEL_CLOSED',
      'This version of amqplib is not known from inside; install amqplib 2.3.',
    );
  }
  const { ch, connection } = inner;
  return {
    number: ch,
    frameMaxBytes: connection.frameMax,
    write(frames, onConfirm) {
      const buffer = bufferOf(inner);
      if (buffer === undefined) {
        throw new ChannelError('CHANNEL_CLOSED', 'The channel is closed.');
      }
      connection.sentSinceLastCheck = true;
      const mayGoOn = buffer.write(frames);
      inner.pushConfirmCallback(onConfirm);
      return mayGoOn;
    },
  };
}

function bufferOf(inner: Inner): Writable | undefined {
  const entry = inner.connection?.channels?.[inner.ch];
  return entry?.channel === inner ? entry.buffer : undefined;
}
