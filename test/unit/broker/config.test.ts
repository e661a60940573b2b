import { describe, expect, it } from 'vitest';
import {
  BrokerConfigError,
  brokerConfig,
  brokerName,
  maskUrl,
  targetOfUrl,
} from '../../../functions/broker/config.ts';

const SECRET_ARN = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:broker-AbCdEf';

describe('brokerConfig', () => {
  it('takes AMQP_URL as it is', () => {
    const config = brokerConfig({ AMQP_URL: 'amqp://a:b@host:5672/v' });

    expect(config).toEqual({ kind: 'url', url: 'amqp://a:b@host:5672/v' });
  });

  it('takes a host with a secret, port 5671 and virtual host / unless told otherwise', () => {
    const env = { LAYOVER_BROKER_HOST: 'b-1.mq', LAYOVER_BROKER_SECRET_ARN: SECRET_ARN };

    expect(brokerConfig(env)).toEqual({
      kind: 'secret',
      host: 'b-1.mq',
      port: 5671,
      vhost: '/',
      secretArn: SECRET_ARN,
    });
    expect(
      brokerConfig({ ...env, LAYOVER_BROKER_PORT: '443', LAYOVER_BROKER_VHOST: 'shop' }),
    ).toMatchObject({ port: 443, vhost: 'shop' });
  });

  it.each([
    [
      {},
      'No broker is configured: set AMQP_URL, or LAYOVER_BROKER_HOST and LAYOVER_BROKER_SECRET_ARN.',
    ],
    [
      { AMQP_URL: '', LAYOVER_BROKER_HOST: '' },
      'No broker is configured: set AMQP_URL, or LAYOVER_BROKER_HOST and LAYOVER_BROKER_SECRET_ARN.',
    ],
    [
      { AMQP_URL: 'amqp://a:secret@h', LAYOVER_BROKER_HOST: 'b-1' },
      'AMQP_URL and LAYOVER_BROKER_HOST are both set (amqp://a:***@h, b-1); unset one of them.',
    ],
    [
      { LAYOVER_BROKER_HOST: 'b-1' },
      'LAYOVER_BROKER_SECRET_ARN is missing beside LAYOVER_BROKER_HOST "b-1"; set it to the secret with username and password.',
    ],
    [
      { LAYOVER_BROKER_HOST: 'amqps://b-1:5671', LAYOVER_BROKER_SECRET_ARN: SECRET_ARN },
      'LAYOVER_BROKER_HOST must be a host name alone, got "amqps://b-1:5671"; give no scheme, port or path.',
    ],
    [
      { LAYOVER_BROKER_HOST: 'b', LAYOVER_BROKER_SECRET_ARN: SECRET_ARN, LAYOVER_BROKER_PORT: '0' },
      'LAYOVER_BROKER_PORT must be a whole number from 1 to 65535, got "0".',
    ],
    [
      {
        LAYOVER_BROKER_HOST: 'b',
        LAYOVER_BROKER_SECRET_ARN: SECRET_ARN,
        LAYOVER_BROKER_PORT: '5671 ',
      },
      'LAYOVER_BROKER_PORT must be a whole number from 1 to 65535, got "5671 ".',
    ],
  ])('refuses %j with the way out', (env, message) => {
    expect(() => brokerConfig(env)).toThrow(new BrokerConfigError(message));
  });
});

describe('targetOfUrl', () => {
  it.each([
    ['amqp://h', { protocol: 'amqp', hostname: 'h', port: 5672, vhost: '/', username: 'guest' }],
    ['amqps://h', { protocol: 'amqps', port: 5671, password: 'guest' }],
    ['amqp://h/', { vhost: '/' }],
    ['amqp://h/%2F', { vhost: '/' }],
    ['amqp://h/shop', { vhost: 'shop' }],
    ['amqp://h/a%2Fb%25', { vhost: 'a/b%' }],
    ['amqp://us%40r:p%C3%A4ss%2F@h', { username: 'us@r', password: 'päss/' }],
    ['amqp://[::1]:5673', { hostname: '::1', port: 5673 }],
  ])('reads %s', (url, expected) => {
    expect(targetOfUrl(url)).toMatchObject(expected);
  });

  it.each([
    ['http://h', 'AMQP_URL must look like amqp://user:password@host:5672/vhost, got "http://h".'],
    ['nonsense', 'AMQP_URL must look like amqp://user:password@host:5672/vhost, got "nonsense".'],
    ['amqp:///v', 'AMQP_URL has no host: "amqp:///v".'],
    [
      'amqp://h?heartbeat=30',
      'AMQP_URL must have no query, got "?heartbeat=30"; heartbeat, frame size and TLS are Layover\'s to set.',
    ],
    [
      'amqp://h/a/b',
      'AMQP_URL names more than one virtual host: "/a/b"; write a slash inside a name as %2F.',
    ],
    [
      'amqp://a:%E4@h',
      'AMQP_URL has a broken percent escape: "amqp://a:***@h"; write a literal % as %25.',
    ],
  ])('refuses %s', (url, message) => {
    expect(() => targetOfUrl(url)).toThrow(new BrokerConfigError(message));
  });

  it.each(['amqp://u:hunter2@h?x=1', 'http://u:hunter2@h', 'amqp://u:hunter2@h:99999'])(
    'never repeats the password of %s',
    (url) => {
      expect(() => targetOfUrl(url)).toThrow(BrokerConfigError);
      expect(() => targetOfUrl(url)).not.toThrow(/hunter2/);
    },
  );
});

describe('maskUrl', () => {
  it.each([
    ['amqp://user:hunter2@host:5672/v', 'amqp://user:***@host:5672/v'],
    ['amqps://user:@host', 'amqps://user:***@host'],
    ['amqp://:hunter2@host', 'amqp://:***@host'],
    ['amqp://user@host', 'amqp://user@host'],
    ['amqp://host/v', 'amqp://host/v'],
    ['amqp://user:hun@ter2@host', 'amqp://user:***@host'],
    ['amqp://u:hunter2@:bad:port', 'amqp://***@:bad:port'],
    ['no url', 'no url'],
  ])('%s → %s', (url, masked) => {
    expect(maskUrl(url)).toBe(masked);
  });
});

describe('brokerName', () => {
  it('shows where, never with what', () => {
    const secret = { kind: 'secret', host: 'b-1', port: 5671, secretArn: SECRET_ARN } as const;

    expect(brokerName({ kind: 'url', url: 'amqp://u:p@h/v' })).toBe('amqp://u:***@h/v');
    expect(brokerName({ ...secret, vhost: '/' })).toBe('amqps://b-1:5671');
    expect(brokerName({ ...secret, vhost: 'a/b' })).toBe('amqps://b-1:5671/a%2Fb');
  });
});
