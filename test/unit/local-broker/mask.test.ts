import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecretsOf, maskUrl } from '../../../infra/local/broker/mask.ts';

describe('maskUrl', () => {
  it.each([
    ['amqp://guest:guest@127.0.0.1:5672', 'amqp://guest:***@127.0.0.1:5672'],
    ['amqps://app:p%40ss%2Fword@mq.example:5671/orders', 'amqps://app:***@mq.example:5671/orders'],
    ['amqp://127.0.0.1', 'amqp://127.0.0.1'],
    ['amqp://guest@127.0.0.1', 'amqp://guest@127.0.0.1'],
    ['amqp://u:p@h?heartbeat=10&passphrase=geheim', 'amqp://u:***@h?heartbeat=10&passphrase=***'],
  ])('shows %s as %s', (url, masked) => {
    expect(maskUrl(url)).toBe(masked);
  });

  it('does not show what it cannot parse, since a password may be anywhere in it', () => {
    const masked = maskUrl('guest:geheim@somewhere nice');

    expect(masked).not.toContain('geheim');
  });

  it('never shows a password, whatever is in it', () => {
    const password = fc.string({ minLength: 6, unit: 'binary' });

    fc.assert(
      fc.property(password, (secret) => {
        const encoded = `§${encodeURIComponent(secret)}§`;
        const masked = maskUrl(`amqp://user:${encoded}@host/vhost`);
        expect(masked).toBe('amqp://user:***@host/vhost');
      }),
    );
  });
});

describe('maskSecretsOf', () => {
  it('replaces the password in the text of others, encoded and plain', () => {
    const url = 'amqp://app:p%40ssword@host';

    const text = maskSecretsOf(url, 'refused p%40ssword, that is p@ssword');

    expect(text).toBe('refused ***, that is ***');
  });

  it('leaves a text alone that has no secret in it', () => {
    expect(maskSecretsOf('amqp://host', 'connect ECONNREFUSED')).toBe('connect ECONNREFUSED');
  });

  it('does not garble a text for the sake of a password of one letter', () => {
    expect(maskSecretsOf('amqp://a:e@host', 'refused')).toBe('refused');
  });

  it('takes a password that is no valid percent-encoding', () => {
    expect(maskSecretsOf('amqp://a:100%zz@host', 'got 100%zz')).toBe('got ***');
  });

  it('hides a whole URL that cannot be parsed', () => {
    expect(maskSecretsOf('a:geheim@b', 'bad url a:geheim@b')).not.toContain('geheim');
  });
});
