import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket, type TlsOptions } from 'node:tls';
import {
  decodeFrames,
  encodeContent,
  encodeMethod,
  type Fields,
  type Frame,
  nameOf,
} from './amqp-wire.ts';

/** A publish as it came over the wire. */
export interface PeerPublish {
  readonly connection: PeerConnection;
  readonly channel: number;
  /** The delivery tag its confirm must carry. */
  readonly tag: number;
  readonly exchange: string;
  readonly routingKey: string;
  readonly mandatory: boolean;
  readonly properties: Fields;
  readonly headers: Fields;
  readonly body: Buffer;
}

export interface PeerOptions {
  /** Called for each whole publish; nothing is confirmed unless the script does it. */
  readonly onPublish?: (publish: PeerPublish) => void;
  /** Whether a login is let in; `attempt` counts from 1. Default: everybody. */
  readonly login?: (
    credentials: { username: string; password: string },
    attempt: number,
  ) => boolean;
  /** Answer connection.close and channel.close. Default true. */
  readonly answersClose?: boolean;
  /** What connection.tune proposes. Default 60, as RabbitMQ does. */
  readonly heartbeatSeconds?: number;
  readonly frameMax?: number;
  /** Serves TLS with these, as for amqps. */
  readonly tls?: TlsOptions;
}

/**
 * A real TCP server that speaks just enough AMQP 0-9-1 to let a client in, open confirm channels and
 * publish. What follows is the test's script: event orders no broker gives on demand.
 */
export class AmqpPeer {
  readonly options: PeerOptions;
  readonly connections: PeerConnection[] = [];
  readonly publishes: PeerPublish[] = [];
  readonly logins: { username: string; password: string }[] = [];
  readonly #server: Server;
  #port = 0;

  private constructor(options: PeerOptions) {
    this.options = options;
    const accept = (socket: Socket) => this.connections.push(new PeerConnection(socket, this));
    this.#server = options.tls ? createTlsServer(options.tls, accept) : createServer(accept);
    this.#server.on('tlsClientError', () => undefined);
  }

  static async start(options: PeerOptions = {}): Promise<AmqpPeer> {
    const peer = new AmqpPeer(options);
    peer.#server.listen(0, '127.0.0.1');
    await once(peer.#server, 'listening');
    peer.#port = (peer.#server.address() as AddressInfo).port;
    return peer;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `amqp://guest:guest@127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const connection of this.connections) connection.cut();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** What answers what. */
const OKS: Readonly<Record<string, string>> = {
  ConnectionOpen: 'ConnectionOpenOk',
  ConnectionClose: 'ConnectionCloseOk',
  ChannelOpen: 'ChannelOpenOk',
  ChannelClose: 'ChannelCloseOk',
  ConfirmSelect: 'ConfirmSelectOk',
  BasicQos: 'BasicQosOk',
};

/** One client of the peer, and what the script may do to it. */
export class PeerConnection {
  /** The last of each method the client sent, by name: `ConnectionTuneOk`, `BasicQos`… */
  readonly received = new Map<string, Fields>();
  readonly #socket: Socket;
  readonly #peer: AmqpPeer;
  readonly #tags = new Map<number, number>();
  readonly #partial = new Map<
    number,
    { fields: Fields; properties: Fields; left: number; body: Buffer[] }
  >();
  #bytes: Buffer = Buffer.alloc(0);
  #greeted = false;
  #silent = false;
  #open = true;

  constructor(socket: Socket, peer: AmqpPeer) {
    this.#socket = socket;
    this.#peer = peer;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#open = false;
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  /** False once the TCP connection has ended, from whichever side. */
  get open(): boolean {
    return this.#open;
  }

  ack(channel: number, tag: number, multiple = false): void {
    this.send('BasicAck', channel, { deliveryTag: tag, multiple });
  }

  nack(channel: number, tag: number, multiple = false): void {
    this.send('BasicNack', channel, { deliveryTag: tag, multiple, requeue: false });
  }

  /** Gives a publish back as unroutable; the confirm is still the script's to send. */
  return(publish: PeerPublish): void {
    const { channel, exchange, routingKey } = publish;
    this.send('BasicReturn', channel, {
      replyCode: 312,
      replyText: 'NO_ROUTE',
      exchange,
      routingKey,
    });
    this.#write(encodeContent(channel, publish.properties, publish.body));
  }

  closeChannel(channel: number, replyCode: number, replyText: string): void {
    this.#tags.delete(channel);
    this.send('ChannelClose', channel, { replyCode, replyText, classId: 60, methodId: 40 });
  }

  closeConnection(replyCode: number, replyText: string): void {
    this.send('ConnectionClose', 0, { replyCode, replyText, classId: 0, methodId: 0 });
  }

  block(reason: string): void {
    this.send('ConnectionBlocked', 0, { reason });
  }

  unblock(): void {
    this.send('ConnectionUnblocked', 0, {});
  }

  /** From now on reads and answers nothing, and keeps the connection open. */
  silence(): void {
    this.#silent = true;
  }

  /** Stops reading, so that the client's buffers fill up; `resume` ends it. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  cut(): void {
    // TLS has no reset of its own.
    if (this.#socket instanceof TLSSocket) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  send(method: string, channel: number, fields: Fields): void {
    this.#write(encodeMethod(method, channel, fields));
  }

  #write(bytes: Buffer): void {
    if (this.#open) this.#socket.write(bytes);
  }

  #read(chunk: Buffer): void {
    if (this.#silent) return;
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (!this.#greeted) {
      if (this.#bytes.length < 8) return;
      this.#bytes = this.#bytes.subarray(8);
      this.#greeted = true;
      this.send('ConnectionStart', 0, {
        serverProperties: { product: 'Peer' },
        mechanisms: Buffer.from('PLAIN'),
        locales: Buffer.from('en_US'),
      });
    }
    const { frames, rest } = decodeFrames(this.#bytes);
    this.#bytes = rest;
    for (const frame of frames) this.#handle(frame);
  }

  #handle({ channel, id, fields = {}, size = 0, content }: Frame): void {
    if (this.#silent) return;
    if (id === undefined) {
      if (content !== undefined) this.#body(channel, content);
      return;
    }
    const name = nameOf(id);
    this.received.set(name, fields);
    const ok = OKS[name];
    if (name === 'ConnectionStartOk') this.#login(fields);
    else if (name === 'BasicPublish') {
      this.#partial.set(channel, { fields, properties: {}, left: 0, body: [] });
    } else if (name === 'BasicProperties') this.#header(channel, fields, size);
    else if (ok !== undefined && (this.#answersClose || !name.endsWith('Close'))) {
      this.send(ok, channel, {});
      if (name === 'ConnectionClose') this.#socket.end();
    }
  }

  get #answersClose(): boolean {
    return this.#peer.options.answersClose ?? true;
  }

  #login(fields: Fields): void {
    const { login, heartbeatSeconds = 60, frameMax = 131_072 } = this.#peer.options;
    const [, username = '', password = ''] = String(fields.response).split('\0');
    this.#peer.logins.push({ username, password });
    if (login !== undefined && !login({ username, password }, this.#peer.logins.length)) {
      this.closeConnection(403, 'ACCESS_REFUSED - Login was refused');
      return;
    }
    this.send('ConnectionTune', 0, { channelMax: 2047, frameMax, heartbeat: heartbeatSeconds });
  }

  #header(channel: number, properties: Fields, size: number): void {
    const partial = this.#partial.get(channel);
    if (partial === undefined) return;
    this.#partial.set(channel, { ...partial, properties, left: size });
    if (size === 0) this.#complete(channel);
  }

  #body(channel: number, content: Buffer): void {
    const partial = this.#partial.get(channel);
    if (partial === undefined) return;
    partial.body.push(content);
    partial.left -= content.length;
    if (partial.left === 0) this.#complete(channel);
  }

  #complete(channel: number): void {
    const partial = this.#partial.get(channel);
    this.#partial.delete(channel);
    if (partial === undefined) return;
    const tag = (this.#tags.get(channel) ?? 0) + 1;
    this.#tags.set(channel, tag);
    const publish: PeerPublish = {
      connection: this,
      channel,
      tag,
      exchange: String(partial.fields.exchange),
      routingKey: String(partial.fields.routingKey),
      mandatory: partial.fields.mandatory === true,
      properties: partial.properties,
      headers: (partial.properties.headers ?? {}) as Fields,
      body: Buffer.concat(partial.body),
    };
    this.#peer.publishes.push(publish);
    this.#peer.options.onPublish?.(publish);
  }
}
