import { createServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BrokerTarget } from '../../../functions/broker/config.ts';
import { openConnection } from '../../../functions/broker/connection.ts';
import type { AmqpPeer, PeerOptions } from '../../helpers/amqp-peer.ts';
import { TcpProxy } from '../../helpers/tcp-proxy.ts';
import {
  AUTHORITY_PEM,
  LOCALHOST_CERTIFICATE_PEM,
  LOCALHOST_KEY_PEM,
} from '../../helpers/tls-fixture.ts';
import { until } from '../../helpers/until.ts';
import { aPeer, within } from './fixtures.ts';

const LOCALHOST_TLS: TlsOptions = { cert: LOCALHOST_CERTIFICATE_PEM, key: LOCALHOST_KEY_PEM };

function targetOf(peer: AmqpPeer, parts: Partial<BrokerTarget> = {}): BrokerTarget {
  return {
    protocol: 'amqp',
    hostname: '127.0.0.1',
    port: peer.port,
    vhost: '/',
    username: 'user',
    password: 'päss',
    ...parts,
  };
}

async function open(target: BrokerTarget, deadlineAtMs = within(2_000)) {
  const connection = await openConnection(target, {
    connectionName: 'layover/orders',
    deadlineAtMs,
    now: Date.now,
  });
  onTestFinished(() => connection.close());
  return connection;
}

async function opened(options: PeerOptions = {}, parts: Partial<BrokerTarget> = {}) {
  const peer = await aPeer(options);
  const connection = await open(targetOf(peer, parts));
  const peerSide = await until('the connection', () => peer.connections[0]);
  return { peer, connection, peerSide };
}

/** Trusts the test's own authority, as NODE_EXTRA_CA_CERTS does for a process. */
function trustAuthority(): void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, AUTHORITY_PEM]);
  onTestFinished(() => setDefaultCACertificates(before));
}

describe('opening', () => {
  it('logs in with UTF-8 credentials and says who it is', async () => {
    const { peer, peerSide } = await opened();

    expect(peer.logins).toEqual([{ username: 'user', password: 'päss' }]);
    expect(peerSide.received.get('ConnectionStartOk')?.clientProperties).toMatchObject({
      product: 'Layover',
      connection_name: 'layover/orders',
      capabilities: { 'connection.blocked': true },
    });
  });

  it.each(['/', 'shop', 'a/b', '100%', 'a%2Fb'])('asks for virtual host %s', async (vhost) => {
    const { peerSide } = await opened({}, { vhost });

    expect(peerSide.received.get('ConnectionOpen')).toMatchObject({ virtualHost: vhost });
  });

  it('case 38: turns heartbeats off when the broker proposes 60 s, and takes its frame size', async () => {
    const { peerSide } = await opened({ heartbeatSeconds: 60, frameMax: 131_072 });

    expect(peerSide.received.get('ConnectionTuneOk')).toMatchObject({
      heartbeat: 0,
      frameMax: 131_072,
    });
  });

  it('a refused login is ACCESS_REFUSED and names the user', async () => {
    const peer = await aPeer({ login: () => false });

    await expect(open(targetOf(peer))).rejects.toMatchObject({
      code: 'ACCESS_REFUSED',
      message: `amqp://127.0.0.1:${peer.port} refused the login of user "user".`,
    });
  });

  it('nobody listening is CONNECT_FAILED', async () => {
    const peer = await aPeer();
    const target = targetOf(peer);
    await peer.close();

    await expect(open(target)).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
      retryable: true,
      message: `amqp://127.0.0.1:${peer.port} can't be reached: ECONNREFUSED.`,
    });
  });

  it('a broker that accepts and says nothing ends at the deadline and leaves no socket', async () => {
    const sockets = new Set<unknown>();
    const mute = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
      socket.resume();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void mute.close());
    await until('the server', () => mute.listening);
    const { port } = mute.address() as { port: number };
    const target = { ...targetOf(await aPeer()), port };

    const refused = open(target, within(150));

    await expect(refused).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    await until('the socket to go', () => sockets.size === 0);
  });

  it('a broker too slow for the deadline is left as soon as it has let us in', async () => {
    const peer = await aPeer();
    const proxy = await TcpProxy.start({ port: peer.port });
    onTestFinished(() => proxy.close());
    proxy.delay(60);

    const late = open({ ...targetOf(peer), port: proxy.port }, within(150));

    await expect(late).rejects.toMatchObject({ code: 'CONNECT_FAILED' });
    await until('the login', () => peer.connections[0]?.received.has('ConnectionOpen'));
    await until('the end of it', () => peer.connections[0]?.open === false);
  });

  it('a deadline in the past connects to nobody', async () => {
    const peer = await aPeer();

    await expect(open(targetOf(peer), within(-1))).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
    });
    expect(peer.connections).toHaveLength(0);
  });
});

describe('TLS', () => {
  const overTls = { protocol: 'amqps', hostname: 'localhost' } as const;

  it('sends the host name as SNI and verifies the certificate against it', async () => {
    trustAuthority();
    const names: string[] = [];
    const tls: TlsOptions = {
      ...LOCALHOST_TLS,
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    };

    const { connection } = await opened({ tls }, overTls);

    expect(connection.lost).toBeUndefined();
    expect(names).toEqual(['localhost']);
  });

  it('refuses an authority nobody trusts, and says how to trust one', async () => {
    const peer = await aPeer({ tls: LOCALHOST_TLS });

    await expect(open(targetOf(peer, overTls))).rejects.toMatchObject({
      code: 'TLS',
      retryable: false,
      message: expect.stringContaining('set NODE_EXTRA_CA_CERTS'),
    });
    expect(peer.logins).toHaveLength(0);
  });

  it('refuses a certificate for another name', async () => {
    trustAuthority();
    const peer = await aPeer({ tls: LOCALHOST_TLS });

    await expect(
      open(targetOf(peer, { protocol: 'amqps', hostname: '127.0.0.1' })),
    ).rejects.toMatchObject({
      code: 'TLS',
      message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
    });
  });

  it('can not be switched off by NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    onTestFinished(() => {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    });
    const peer = await aPeer({ tls: LOCALHOST_TLS });

    await expect(open(targetOf(peer, overTls))).rejects.toMatchObject({ code: 'TLS' });
  });
});

describe('an open connection', () => {
  it('case 22: knows while the broker blocks it, and tells', async () => {
    const { connection, peerSide } = await opened();
    const told: (string | undefined)[] = [];
    connection.onChange(() => told.push(connection.blocked));

    peerSide.block('low on memory');
    await until('the alarm', () => connection.blocked !== undefined);
    peerSide.unblock();
    await until('its end', () => connection.blocked === undefined);

    expect(told).toEqual(['low on memory', undefined]);
  });

  it('knows why it was lost, and tells once', async () => {
    const { connection, peerSide } = await opened();
    let told = 0;
    connection.onChange(() => {
      told += 1;
    });

    peerSide.closeConnection(320, 'CONNECTION_FORCED - maintenance');
    await until('the loss', () => connection.lost);

    expect(connection.lost).toMatchObject({ code: 'CONNECTION_LOST', retryable: true });
    expect(connection.lost?.message).toContain('CONNECTION_FORCED - maintenance');
    expect(told).toBe(1);
  });

  it('a listener that was taken off hears nothing more', async () => {
    const { connection, peerSide } = await opened();
    let told = 0;
    const stop = connection.onChange(() => {
      told += 1;
    });
    stop();

    peerSide.block('low on memory');
    await until('the alarm', () => connection.blocked !== undefined);

    expect(told).toBe(0);
  });

  it('dropped, it fails what waits on it and ends the socket of a silent broker', async () => {
    const { connection, peerSide } = await opened();
    const channel = await connection.model.createChannel();
    channel.on('error', () => undefined);
    peerSide.silence();
    const waiting = channel.prefetch(1);

    connection.drop('a test');

    await expect(waiting).rejects.toThrow();
    await until('the socket to end', () => !peerSide.open);
    expect(connection.lost?.message).toBe('The connection to the broker ended: a test.');
  });

  it('can be closed twice', async () => {
    const { connection } = await opened();

    await connection.close();

    await expect(connection.close()).resolves.toBeUndefined();
  });
});
