import type { Duplex, DuplexOptions } from 'node:stream';
import { type ChannelModel, connect, type Options, type SocketOptions } from 'amqplib';
import type { BrokerTarget } from './config.ts';
import { toConnectError } from './connect-errors.ts';
import { withDeadline } from './deadline.ts';
import { ConnectionError } from './errors.ts';

export interface ConnectOptions {
  /** Shown in the broker's list of connections, for example `layover/orders`. */
  readonly connectionName: string;
  /** Epoch milliseconds. */
  readonly deadlineAtMs: number;
  readonly now: () => number;
}

const KEEP_ALIVE_DELAY_MS = 10_000;
/** RabbitMQ's own default; a frame of headers (64 KiB at most) always fits. */
const FRAME_MAX_BYTES = 131_072;
/** How much may wait in the socket before amqplib is told to pause; Node's default is 64 KiB. */
const SOCKET_BUFFER_BYTES = 1_048_576;
const CLOSE_PATIENCE_MS = 500;

/**
 * Opens a connection: TLS with SNI and verification for amqps, TCP keepalive, heartbeats off.
 * Heartbeats can't work in a function that is frozen between invocations: the broker would drop it.
 * In amqplib 2, 0 means off; before, it meant what the server proposes.
 * @throws ConnectionError `CONNECT_FAILED`, `TLS` or `ACCESS_REFUSED`, by the deadline at the latest.
 */
export async function openConnection(
  target: BrokerTarget,
  options: ConnectOptions,
): Promise<BrokerConnection> {
  const leftMs = Math.ceil(options.deadlineAtMs - options.now());
  const late = () =>
    new ConnectionError(
      'CONNECT_FAILED',
      `${target.protocol}://${target.hostname}:${target.port} did not answer within ${Math.max(0, leftMs)} ms.`,
    );
  if (leftMs <= 0) throw late();
  const opening = connect(endpointOf(target), socketOptions(options.connectionName, leftMs)).then(
    (model) => new BrokerConnection(model, options.now),
  );
  let abandoned = false;
  opening.then(
    (connection) => abandoned && connection.drop('it came after its deadline'),
    () => undefined,
  );
  try {
    return await withDeadline(opening, options.deadlineAtMs, options.now, late);
  } catch (error) {
    abandoned = true;
    throw toConnectError(error, target);
  }
}

function endpointOf(target: BrokerTarget): Options.Connect {
  const { protocol, hostname, port, username, password } = target;
  // amqplib unescapes the virtual host once more.
  const vhost = encodeURIComponent(target.vhost);
  return {
    protocol,
    hostname,
    port,
    username,
    password,
    vhost,
    heartbeat: 0,
    frameMax: FRAME_MAX_BYTES,
  };
}

function socketOptions(connectionName: string, idleMs: number): SocketOptions & DuplexOptions {
  return {
    noDelay: true,
    keepAlive: true,
    keepAliveDelay: KEEP_ALIVE_DELAY_MS,
    // An idle limit, which frees the socket of a silent broker; the caller bounds the whole.
    timeout: idleMs,
    // Said explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED can't switch it off.
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    highWaterMark: SOCKET_BUFFER_BYTES,
    clientProperties: { product: 'Layover', connection_name: connectionName },
  };
}

/** One open connection. It always listens for errors, so none between invocations is uncaught. */
export class BrokerConnection {
  readonly model: ChannelModel;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();
  readonly #stream: Duplex;
  #blocked: string | undefined;
  #lost: ConnectionError | undefined;
  #gathering = false;

  constructor(model: ChannelModel, now: () => number) {
    this.model = model;
    this.#now = now;
    this.#stream = streamOf(model);
    // Before amqplib's listener, which then writes what it held back.
    this.#stream.prependListener('drain', () => this.gather());
    model.on('error', (error: Error) => this.#lose(error));
    model.on('close', (error?: Error) => this.#lose(error));
    model.on('blocked', (reason: string) => {
      this.#blocked = reason;
      this.#tell();
    });
    model.on('unblocked', () => {
      this.#blocked = undefined;
      this.#tell();
    });
  }

  /** The broker's reason while it is in a resource alarm and doesn't read what we publish. */
  get blocked(): string | undefined {
    return this.#blocked;
  }

  /** Why the connection can't be used any more; undefined while it can. */
  get lost(): ConnectionError | undefined {
    return this.#lost;
  }

  /** Calls `listener` whenever `blocked` or `lost` changes; the returned function ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Lets all frames of this turn of the event loop leave in one system call. amqplib makes one of each
   * message, which costs more than everything else the client does for it.
   */
  gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#stream.cork();
    // Two turns: amqplib hands its frames to the socket in a setImmediate of its own, queued after the first.
    setImmediate(() =>
      setImmediate(() => {
        this.#gathering = false;
        this.#stream.uncork();
      }),
    );
  }

  /** Ends it at once, without the broker: everything waiting on it fails as `CONNECTION_LOST`. */
  drop(reason: string): void {
    this.#lose(new Error(reason));
    // With an error, since amqplib closes its channels on 'error' and 'end', not on a bare 'close'.
    this.#stream.destroy(new Error(reason));
  }

  /** Says goodbye and waits half a second for the answer, not at all while blocked. */
  async close(): Promise<void> {
    if (this.#lost === undefined && this.#blocked === undefined) {
      await withDeadline(
        this.model.close(),
        this.#now() + CLOSE_PATIENCE_MS,
        this.#now,
        () => new Error('no answer to close'),
      ).catch(() => undefined);
    }
    this.drop('it was closed');
  }

  #lose(cause: Error | undefined): void {
    if (this.#lost !== undefined) return;
    const why = cause === undefined ? 'it was closed' : cause.message;
    this.#lost = new ConnectionError(
      'CONNECTION_LOST',
      `The connection to the broker ended: ${why}.`,
      cause === undefined ? {} : { cause },
    );
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** amqplib offers no way to end a connection whose broker is silent, nor to cork it: its socket is reached for. */
function streamOf(model: ChannelModel): Duplex {
  return (model.connection as unknown as { readonly stream: Duplex }).stream;
}
