import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}

/**
 * A TCP proxy on loopback that can fail the way networks do. New connections follow the setting that
 * is in force when they arrive; `cut` and `blackHole` also act on the open ones.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #target: { readonly host: string; readonly port: number };
  #delayMs = 0;
  #blackHole = false;
  #refuse = false;
  #accepted = 0;

  private constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
  }

  static async start(target: { host?: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy({ host: target.host ?? '127.0.0.1', port: target.port });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The given AMQP URL with the proxy in the place of the broker. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.port);
    return changed.href;
  }

  /** Connections accepted since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  get open(): number {
    return this.#pairs.size;
  }

  /** Ends every open connection with a reset, as a load balancer or a dying host does. */
  cut(): void {
    for (const { client, upstream } of this.#pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
    this.#pairs.clear();
  }

  /** Swallows every byte in both directions and closes nothing, as a lost route does. */
  blackHole(on: boolean): void {
    this.#blackHole = on;
  }

  /** Closes new connections at once. */
  refuse(on: boolean): void {
    this.#refuse = on;
  }

  /** Holds every chunk back for so long, in both directions; order is kept. */
  delay(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    this.#accepted += 1;
    if (this.#refuse) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ ...this.#target, allowHalfOpen: true });
    const pair = { client, upstream };
    this.#pairs.add(pair);
    this.#pipe(client, upstream);
    this.#pipe(upstream, client);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        if (this.#blackHole) return;
        client.destroy();
        upstream.destroy();
        this.#pairs.delete(pair);
      });
    }
  }

  #pipe(from: Socket, to: Socket): void {
    const pass = (act: () => void) => {
      if (this.#blackHole) return;
      if (this.#delayMs === 0) act();
      else setTimeout(act, this.#delayMs);
    };
    from.on('data', (chunk: Buffer) => pass(() => to.write(chunk)));
    from.on('end', () => pass(() => to.end()));
  }
}
