import { connect as connectTcp, createServer } from 'node:net';

/**
 * As many different ports as asked for that are free on loopback right now.
 * Somebody may take one before we use it: the caller tries again with others then.
 */
export async function freePorts(count: number): Promise<number[]> {
  // All are held open until the last is known, so that no port comes twice.
  const servers = await Promise.all(Array.from({ length: count }, listenAnywhere));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listenAnywhere() {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

/**
 * Whether an address or name is this machine's own, also that of an interface which is down just now
 * (as Docker's bridge is before its first container, when `networkInterfaces()` leaves it out).
 */
export function isOwnHost(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(0, host, () => server.close(() => resolve(true)));
  });
}

const LISTENING_TIMEOUT_MS = 2_000;

/** Whether somebody listens on that port of an address of this machine, by default loopback. */
export function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp({ port, host, timeout: LISTENING_TIMEOUT_MS });
    socket.once('timeout', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
