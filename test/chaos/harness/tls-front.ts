import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { LOCALHOST_CERTIFICATE_PEM, LOCALHOST_KEY_PEM } from '../../helpers/tls-fixture.ts';

export interface TlsFront {
  readonly port: number;
  close(): Promise<void>;
}

/** Ends TLS on `localhost` and passes the plain stream on, as an AMQPS listener in front of the broker. */
export async function startTlsFront(targetPort: number): Promise<TlsFront> {
  const open = new Set<{ destroy(): void }>();
  const server = createServer(
    { cert: LOCALHOST_CERTIFICATE_PEM, key: LOCALHOST_KEY_PEM },
    (client) => {
      const upstream = connect(targetPort, '127.0.0.1');
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        open.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          open.delete(from);
          to.destroy();
        });
      }
    },
  );
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
