import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSession } from '../../../functions/broker/session.ts';
import { AmqpPeer, type PeerPublish } from '../../helpers/amqp-peer.ts';
import { SecretsService } from '../../helpers/secrets-service.ts';
import { TcpProxy } from '../../helpers/tcp-proxy.ts';
import {
  AUTHORITY_PEM,
  LOCALHOST_CERTIFICATE_PEM,
  LOCALHOST_KEY_PEM,
} from '../../helpers/tls-fixture.ts';
import { until } from '../../helpers/until.ts';
import { aCopy, aPeer, aSession, endings, within } from './fixtures.ts';

const confirm = ({ connection, channel, tag }: PeerPublish) => connection.ack(channel, tag);
const MINUTES = 60_000;

/** Everything the process would have died of during the test. */
function uncaught(): unknown[] {
  const seen: unknown[] = [];
  const note = (error: unknown) => seen.push(error);
  process.on('uncaughtException', note);
  process.on('unhandledRejection', note);
  onTestFinished(() => {
    process.off('uncaughtException', note);
    process.off('unhandledRejection', note);
  });
  return seen;
}

afterEach(() => vi.unstubAllEnvs());

describe('connecting', () => {
  it('opens nothing before the first publish, not even when woken', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);

    await session.wake(within(1_000));
    const before = peer.connections.length;
    await session.publish(aCopy(), within(2_000));

    expect(before).toBe(0);
    expect(peer.connections).toHaveLength(1);
  });

  it('is shared by everybody who publishes meanwhile, and kept afterwards', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);

    await Promise.all(Array.from({ length: 50 }, () => session.publish(aCopy(), within(2_000))));
    await session.publish(aCopy(), within(2_000));

    expect(peer.connections).toHaveLength(1);
    expect(peer.publishes).toHaveLength(51);
  });

  it('that fails fails every waiting publish, and the next publish tries again', async () => {
    let letIn = false;
    const peer = await aPeer({ onPublish: confirm, login: () => letIn });
    const session = aSession(peer.url);

    const refused = await endings([
      session.publish(aCopy(), within(2_000)),
      session.publish(aCopy(), within(2_000)),
    ]);
    letIn = true;
    const accepted = await endings([session.publish(aCopy(), within(2_000))]);

    expect(refused).toEqual(['ACCESS_REFUSED', 'ACCESS_REFUSED']);
    expect(accepted).toEqual(['ok']);
    expect(peer.logins).toHaveLength(2);
  });

  it('to a broker that accepts and says nothing ends at the deadline', async () => {
    const proxy = await TcpProxy.start({ port: 9 });
    onTestFinished(() => proxy.close());
    proxy.blackHole(true);
    const session = aSession(`amqp://guest:guest@127.0.0.1:${proxy.port}`);
    const startedAtMs = performance.now();

    const results = await endings([session.publish(aCopy(), within(200))]);

    expect(['NO_ANSWER', 'CONNECT_FAILED']).toContain(results[0]);
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  });
});

describe('case 38: a function that was frozen', () => {
  it('renews a connection that died meanwhile, with one publish per message and nothing uncaught', async () => {
    const seen = uncaught();
    const peer = await aPeer({ onPublish: confirm });
    let nowMs = Date.now();
    const session = aSession(peer.url, () => nowMs);
    await session.publish(aCopy({ properties: { messageId: 'first' } }), nowMs + 2_000);

    nowMs += 15 * MINUTES;
    peer.connections[0]?.cut();
    await until('the cut', () => peer.connections[0]?.open === false);
    await session.wake(nowMs + 2_000);
    await session.publish(aCopy({ properties: { messageId: 'second' } }), nowMs + 2_000);

    expect(peer.connections).toHaveLength(2);
    expect(peer.publishes.map(({ properties }) => properties.messageId)).toEqual([
      'first',
      'second',
    ]);
    expect(seen).toEqual([]);
  });

  it('throws away a connection that looks open but does not answer', async () => {
    const peer = await aPeer({ onPublish: confirm });
    let nowMs = Date.now();
    const session = aSession(peer.url, () => nowMs);
    await session.publish(aCopy(), nowMs + 2_000);

    nowMs += 15 * MINUTES;
    peer.connections[0]?.silence();
    await session.wake(nowMs + 200);
    await session.publish(aCopy(), nowMs + 2_000);

    expect(peer.publishes.map(({ connection }) => peer.connections.indexOf(connection))).toEqual([
      0, 1,
    ]);
    await until('the first connection to end', () => peer.connections[0]?.open === false);
  });

  it('proves the connection before a publish when nobody woke the session', async () => {
    const peer = await aPeer({ onPublish: confirm });
    let nowMs = Date.now();
    const session = aSession(peer.url, () => nowMs);
    await session.publish(aCopy(), nowMs + 2_000);

    nowMs += 15 * MINUTES;
    await session.publish(aCopy(), nowMs + 2_000);

    expect(peer.connections).toHaveLength(1);
    expect(peer.connections[0]?.received.has('BasicQos')).toBe(true);
  });

  it('keeps a connection that answers, and asks nothing of one just used', async () => {
    const peer = await aPeer({ onPublish: confirm });
    let nowMs = Date.now();
    const session = aSession(peer.url, () => nowMs);
    await session.publish(aCopy(), nowMs + 2_000);

    await session.wake(nowMs + 2_000);
    const askedAtOnce = peer.connections[0]?.received.has('BasicQos');
    nowMs += 15 * MINUTES;
    await session.wake(nowMs + 2_000);
    await session.publish(aCopy(), nowMs + 2_000);

    expect(askedAtOnce).toBe(false);
    expect(peer.connections).toHaveLength(1);
    expect(peer.publishes).toHaveLength(2);
  });

  it('heartbeats are off on the wire, whatever the broker proposes', async () => {
    const peer = await aPeer({ onPublish: confirm, heartbeatSeconds: 60 });

    await aSession(peer.url).publish(aCopy(), within(2_000));

    expect(peer.connections[0]?.received.get('ConnectionTuneOk')).toMatchObject({ heartbeat: 0 });
  });

  it('an error between invocations is nobody’s uncaught exception', async () => {
    const seen = uncaught();
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(2_000));

    peer.connections[0]?.closeConnection(541, 'INTERNAL_ERROR - between invocations');
    await until('its answer', () => peer.connections[0]?.received.has('ConnectionCloseOk'));
    await session.publish(aCopy(), within(2_000));

    expect(seen).toEqual([]);
    expect(peer.connections).toHaveLength(2);
  });
});

describe('a connection lost under its publishes', () => {
  it.each([
    ['a reset', (publish: PeerPublish) => publish.connection.cut(), 'ECONNRESET'],
    [
      'maintenance',
      (publish: PeerPublish) =>
        publish.connection.closeConnection(320, 'CONNECTION_FORCED - broker forced it'),
      'CONNECTION_FORCED - broker forced it',
    ],
  ])('by %s ends them as uncertain, and says why', async (_how, onPublish, why) => {
    const peer = await aPeer({ onPublish });

    const error = await aSession(peer.url)
      .publish(aCopy(), within(2_000))
      .catch((reason: unknown) => reason);

    expect(error).toMatchObject({
      code: 'CONNECTION_LOST',
      blast: 'connection',
      retryable: true,
      mayBeWritten: true,
    });
    expect((error as Error).message).toContain(why);
  });

  it('is replaced at the next publish', async () => {
    const peer = await aPeer({
      onPublish: (publish) =>
        peer.connections.length === 1 ? publish.connection.cut() : confirm(publish),
    });
    const session = aSession(peer.url);

    const first = await endings([session.publish(aCopy(), within(2_000))]);
    const second = await endings([session.publish(aCopy(), within(2_000))]);

    expect([first, second]).toEqual([['CONNECTION_LOST'], ['ok']]);
  });

  it('after a silent deadline the connection has to prove itself before the next publish', async () => {
    const peer = await aPeer({
      onPublish: (publish) =>
        peer.connections.length === 1 ? publish.connection.silence() : confirm(publish),
    });
    const session = aSession(peer.url);

    const first = await endings([session.publish(aCopy(), within(2_000))]);
    const second = await endings([session.publish(aCopy(), within(5_000))]);

    expect([first, second]).toEqual([['NO_ANSWER'], ['ok']]);
    expect(peer.connections).toHaveLength(2);
  });
});

describe('case 22: a broker in a resource alarm', () => {
  /** Blocks before it confirms, so that a confirmed publisher knows of the alarm. */
  const blockThenConfirm = (publish: PeerPublish) => {
    if (publish.tag === 1) publish.connection.block('low on memory');
    confirm(publish);
  };

  it('holds what is published, ends it as BLOCKED at the deadline, and was sent nothing', async () => {
    const peer = await aPeer({ onPublish: blockThenConfirm, answersClose: false });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(2_000));

    const held = session.publish(aCopy(), within(150));

    await expect(held).rejects.toMatchObject({
      code: 'BLOCKED',
      blast: 'connection',
      retryable: true,
      mayBeWritten: false,
      message: 'The broker blocks publishing (low on memory); it was not sent.',
    });
    expect(peer.publishes).toHaveLength(1);
    expect(peer.connections).toHaveLength(1);
  });

  it('stays with the connection while an invocation tries again, and leaves it after a freeze', async () => {
    const peer = await aPeer({ onPublish: blockThenConfirm, answersClose: false });
    let nowMs = Date.now();
    const session = aSession(peer.url, () => nowMs);
    await session.publish(aCopy(), nowMs + 2_000);
    // `blockThenConfirm` blocks at tag 1 of each connection, so only the first one is silent.
    peer.connections[0]?.silence();

    const held = session.publish(aCopy(), nowMs + 10_000);
    nowMs += 10_001;
    const again = session.publish(aCopy(), nowMs + 10_000);
    const connectionsMeanwhile = peer.connections.length;
    nowMs += 15 * MINUTES;
    const wokenAtMs = performance.now();
    await session.wake(nowMs + 2_000);
    const wakingMs = performance.now() - wokenAtMs;
    const ends = await endings([held, again]);
    await session.publish(aCopy(), nowMs + 2_000);

    expect(connectionsMeanwhile).toBe(1);
    expect(wakingMs).toBeLessThan(2_500);
    expect(ends).toEqual(['CONNECTION_LOST', 'CONNECTION_LOST']);
    expect(peer.publishes.map(({ connection }) => peer.connections.indexOf(connection))).toEqual([
      0, 1,
    ]);
  });

  it('what was on the wire when it began is uncertain', async () => {
    const peer = await aPeer({
      onPublish: ({ connection }) => connection.block('low on disk'),
    });

    const onTheWire = aSession(peer.url).publish(aCopy(), within(2_000));

    await expect(onTheWire).rejects.toMatchObject({ code: 'BLOCKED', mayBeWritten: true });
  });

  it('what was held goes out, in order, when the alarm ends', async () => {
    const peer = await aPeer({ onPublish: blockThenConfirm });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(2_000));
    const ids = ['a', 'b', 'c'];

    const held = ids.map((messageId) =>
      session.publish(aCopy({ properties: { messageId } }), within(5_000)),
    );
    peer.connections[0]?.unblock();
    await Promise.all(held);

    expect(peer.publishes.slice(1).map(({ properties }) => properties.messageId)).toEqual(ids);
    expect(peer.connections).toHaveLength(1);
  });

  it('close() is not waited for', async () => {
    const peer = await aPeer({
      answersClose: false,
      onPublish: ({ connection }) => {
        connection.block('low on memory');
        connection.silence();
      },
    });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(2_000)).catch(() => undefined);
    const startedAtMs = performance.now();

    await session.close();

    expect(performance.now() - startedAtMs).toBeLessThan(900);
    await until('the connection to end', () => peer.connections[0]?.open === false);
  });
});

describe('close', () => {
  it('says goodbye to a broker that answers', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(2_000));

    await session.close();

    expect(peer.connections[0]?.received.has('ConnectionClose')).toBe(true);
  });

  it('leaves a broker that does not answer within a second', async () => {
    const peer = await aPeer({ onPublish: confirm, answersClose: false });
    const session = aSession(peer.url);
    await session.publish(aCopy(), within(2_000));
    const startedAtMs = performance.now();

    await session.close();

    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
    await until('the connection to end', () => peer.connections[0]?.open === false);
  });

  it('refuses later publishes for good', async () => {
    const peer = await aPeer({ onPublish: confirm });
    const session = aSession(peer.url);
    await session.close();

    await expect(session.publish(aCopy(), within(2_000))).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      retryable: false,
      message: 'The session was closed.',
    });
    expect(peer.connections).toHaveLength(0);
  });
});

describe('case 62: a rotated secret', () => {
  const secretArn = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:broker-AbCdEf';
  const secret = (password: string) => ({
    text: JSON.stringify({ username: 'layover', password }),
  });

  /** A peer behind TLS that lets in one password, a secrets service, and a session with both. */
  async function rotated(passwords: { broker: string; reads: readonly string[] }) {
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, AUTHORITY_PEM]);
    onTestFinished(() => setDefaultCACertificates(before));
    const peer = await AmqpPeer.start({
      onPublish: confirm,
      login: ({ password }) => password === passwords.broker,
      tls: { cert: LOCALHOST_CERTIFICATE_PEM, key: LOCALHOST_KEY_PEM },
    });
    const service = await SecretsService.start((read) =>
      secret(passwords.reads[read - 1] ?? passwords.reads.at(-1) ?? ''),
    );
    for (const [name, value] of Object.entries(service.env)) vi.stubEnv(name, value);
    const session = createSession(
      { kind: 'secret', host: 'localhost', port: peer.port, vhost: '/', secretArn },
      { connectionName: 'layover/orders' },
    );
    onTestFinished(async () => {
      await session.close();
      await peer.close();
      await service.close();
    });
    return { peer, service, session };
  }

  it('a refused login reads the secret once more, connects once more, and succeeds', async () => {
    const { peer, service, session } = await rotated({ broker: 'new', reads: ['old', 'new'] });

    await session.publish(aCopy(), within(5_000));

    expect(service.reads).toEqual([secretArn, secretArn]);
    expect(peer.logins.map(({ password }) => password)).toEqual(['old', 'new']);
    expect(peer.publishes).toHaveLength(1);
  });

  it('refused again it fails, as the product’s own trouble and not worth another try', async () => {
    const { peer, service, session } = await rotated({ broker: 'new', reads: ['old', 'older'] });

    await expect(session.publish(aCopy(), within(5_000))).rejects.toMatchObject({
      code: 'ACCESS_REFUSED',
      blast: 'connection',
      retryable: false,
    });
    expect(service.reads).toHaveLength(2);
    expect(peer.logins).toHaveLength(2);
  });

  it('a secret that still holds is read once, however often the connection is renewed', async () => {
    const { peer, service, session } = await rotated({ broker: 'same', reads: ['same'] });

    await session.publish(aCopy(), within(5_000));
    peer.connections[0]?.cut();
    await until('the cut', () => peer.connections[0]?.open === false);
    await until('a publish on another connection', () =>
      session.publish(aCopy(), within(5_000)).then(
        () => true,
        () => false,
      ),
    );

    expect(service.reads).toHaveLength(1);
    expect(peer.logins).toHaveLength(2);
  });
});
