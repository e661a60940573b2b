import { describe, expect, it } from 'vitest';
import {
  type BrokerPorts,
  enabledPlugins,
  type Installation,
  isPortTaken,
  rabbitmqConf,
  rabbitmqEnvironment,
  reasonFromLog,
} from '../../../infra/local/broker/rabbitmq-config.ts';

const PORTS: BrokerPorts = { amqp: 41001, management: 41002, epmd: 41003, distribution: 41004 };
const INSTALLATION: Installation = {
  serverScript: '/opt/rabbitmq/sbin/rabbitmq-server',
  epmd: '/opt/erlang/bin/epmd',
  hasManagement: true,
  hasShovel: false,
  env: { PATH: '/opt/erlang/bin:/usr/bin' },
};

describe('the configuration of a broker process', () => {
  it('listens on loopback only', () => {
    const conf = rabbitmqConf(PORTS, true);

    expect(conf).toContain('listeners.tcp.1 = 127.0.0.1:41001\n');
    expect(conf).toContain('listeners.ssl = none\n');
    expect(conf).toContain('management.tcp.ip = 127.0.0.1\n');
    expect(conf).toContain('management.tcp.port = 41002\n');
    expect(conf).not.toMatch(/0\.0\.0\.0|::/);
  });

  it('does not mention a plug-in that is not there, which would keep the broker from starting', () => {
    expect(rabbitmqConf(PORTS, false)).not.toContain('management');
    expect(enabledPlugins({ hasManagement: false, hasShovel: false })).toBe('[].\n');
    expect(enabledPlugins({ hasManagement: true, hasShovel: false })).toBe(
      '[rabbitmq_management].\n',
    );
    expect(enabledPlugins({ hasManagement: true, hasShovel: true })).toBe(
      '[rabbitmq_management,rabbitmq_shovel].\n',
    );
  });

  it('keeps the distribution and epmd on loopback, on ports of their own', () => {
    const env = rabbitmqEnvironment('/tmp/x', INSTALLATION, PORTS);

    expect(env).toMatchObject({
      ERL_EPMD_ADDRESS: '127.0.0.1',
      ERL_EPMD_PORT: '41003',
      RABBITMQ_DIST_PORT: '41004',
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    });
  });

  it('keeps every file in the one folder that is removed at the end', () => {
    const env = rabbitmqEnvironment('/tmp/x', INSTALLATION, PORTS);

    const files = Object.entries(env).filter(([name]) => /_(FILE|BASE)$|^HOME$/.test(name));
    expect(files.length).toBeGreaterThanOrEqual(8);
    expect(files.filter(([, path]) => !path.startsWith('/tmp/x'))).toEqual([]);
  });

  it('hands on nothing of the own environment', () => {
    process.env.RABBITMQ_USE_LONGNAME = 'true';
    try {
      expect(rabbitmqEnvironment('/tmp/x', INSTALLATION, PORTS)).not.toHaveProperty(
        'RABBITMQ_USE_LONGNAME',
      );
    } finally {
      delete process.env.RABBITMQ_USE_LONGNAME;
    }
  });

  it('gives two brokers two node names', () => {
    const one = rabbitmqEnvironment('/tmp/x', INSTALLATION, PORTS);
    const other = rabbitmqEnvironment('/tmp/y', INSTALLATION, { ...PORTS, amqp: 42001 });

    expect(one.RABBITMQ_NODENAME).not.toBe(other.RABBITMQ_NODENAME);
  });
});

describe('reasonFromLog', () => {
  it('gives the lines that name an error, without their timestamps', () => {
    const log = [
      '2026-11-30 21:40:07.123456+00:00 [info] <0.230.0> Starting RabbitMQ',
      '2026-11-30 21:40:08.123456+00:00 [error] <0.230.0> Failed to start Ranch listener: eaddrinuse',
      '====================',
      '2026-11-30 21:40:08.123456+00:00 [info] <0.230.0> bye',
    ].join('\n');

    expect(reasonFromLog(log)).toBe('[error] <0.230.0> Failed to start Ranch listener: eaddrinuse');
  });

  it('gives the last lines when none names an error', () => {
    expect(reasonFromLog('a\nb\nc\nd\n')).toBe('b | c | d');
  });

  it('says so when there is nothing, and stays short when there is much', () => {
    expect(reasonFromLog('')).toBe('it printed nothing');
    expect(reasonFromLog(`error ${'x'.repeat(10_000)}`).length).toBe(400);
  });
});

describe('isPortTaken', () => {
  it.each([
    'Failed to start Ranch listener on 127.0.0.1:41001: eaddrinuse (address already in use)',
    'epmd: Mon Nov 30: failed to bind socket: Address already in use',
    '{could_not_start_listener,"127.0.0.1",41001,eaddrinuse}',
  ])('is true of %s', (reason) => {
    expect(isPortTaken(reason)).toBe(true);
  });

  it('is false of other reasons, which other ports would not cure', () => {
    expect(isPortTaken('rabbitmq-server ended (exit 127): erl: not found')).toBe(false);
  });
});
