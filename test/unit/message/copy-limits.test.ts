import { describe, expect, it } from 'vitest';
import { copyOf } from '../../../functions/message/copy.ts';
import { CopyError } from '../../../functions/message/errors.ts';
import { HEADERS_LIMIT_BYTES } from '../../../functions/message/limits.ts';
import type { HeaderTable, Message } from '../../../functions/message/types.ts';
import { encodeHeaders } from './amqplib-codec.ts';
import { FAILURE, longString, messageWith, nextDelivery, stampOf } from './samples.ts';

describe('what cannot be sent on', () => {
  const big = 'x'.repeat(70_000);

  function errorOf(message: Message): unknown {
    try {
      copyOf(message, stampOf(), 'q');
    } catch (error) {
      return error;
    }
    return undefined;
  }

  function withHeaders(headers: HeaderTable): Message {
    return { ...messageWith(null), headers };
  }

  it.each([
    ['one value over 64 KiB', withHeaders({ small: 'a', big }), 'HEADERS_TOO_LARGE', 'big', 70_009],
    [
      'many values that are too much together',
      withHeaders({ a: 'x'.repeat(30_000), b: 'x'.repeat(32_000) }),
      'HEADERS_TOO_LARGE',
      'b',
      32_007,
    ],
    [
      'a name over 255 bytes',
      withHeaders({ ['é'.repeat(128)]: 1 }),
      'HEADER_NAME_TOO_LONG',
      'é'.repeat(128),
      256,
    ],
    ['an integer over 64 bits', withHeaders({ n: 2n ** 64n }), 'HEADER_NOT_ENCODABLE', 'n', 0],
    [
      'a property over 255 bytes',
      { ...messageWith(null), properties: { correlationId: '\ufffd'.repeat(100) } },
      'PROPERTY_TOO_LONG',
      'correlationId',
      300,
    ],
  ] as const)('%s gives an error that names it', (_what, message, code, field, bytes) => {
    const error = errorOf(message);

    expect(error).toBeInstanceOf(CopyError);
    expect(error).toMatchObject({ name: 'CopyError', code, field, bytes });
    expect((error as Error).message).toContain(field.slice(0, 60));
    expect((error as Error).message).toMatch(/can only be copied without it\.$/);
  });

  it('is left out, and said to be, when the caller prefers that', () => {
    const message: Message = {
      ...withHeaders({ tenant: 'acme', big, ['n'.repeat(300)]: 1, huge: 2n ** 64n }),
      properties: { correlationId: 'c'.repeat(300), type: 'T' },
    };

    const copy = copyOf(message, stampOf(), 'orders.parked', { unsendable: 'drop' });

    expect(copy.properties).toEqual({ messageId: 'stamped-1', type: 'T' });
    expect(copy.headers.tenant).toBe('acme');
    expect(copy.headers.big).toBeUndefined();
    expect(copy.headers['x-origin-dropped']).toMatch(/^n{300}:300, huge:0, big:70009, correl/);
    expect(encodeHeaders(copy.headers).length).toBeLessThan(HEADERS_LIMIT_BYTES);
  });

  it('is remembered by later copies', () => {
    const first = copyOf(withHeaders({ big }), stampOf(), 'q', { unsendable: 'drop' });
    const second = copyOf(nextDelivery(first), stampOf(), 'q');

    expect(second.headers['x-origin-dropped']).toBe('big:70009');
  });

  it('changes nothing for a message that can be copied whole', () => {
    const message = messageWith({ tenant: longString('acme') });

    expect(copyOf(message, stampOf(), 'q', { unsendable: 'drop' })).toEqual(
      copyOf(message, stampOf(), 'q'),
    );
  });

  it('fits into what amqplib can encode, up to the last byte we allow', () => {
    const full = withHeaders({ a: 'x'.repeat(61_427) });
    const over = withHeaders({ a: 'x'.repeat(61_430) });

    const copy = copyOf(full, stampOf({ failure: { ...FAILURE, message: 'm'.repeat(1024) } }), 'q');

    expect(encodeHeaders(copy.headers).length).toBeLessThan(HEADERS_LIMIT_BYTES);
    expect(errorOf(over)).toMatchObject({ code: 'HEADERS_TOO_LARGE' });
  });

  it('includes tables nested deeper than the decoders let through', () => {
    const deep = JSON.parse('['.repeat(1000) + ']'.repeat(1000));

    expect(errorOf(withHeaders({ deep }))).toMatchObject({
      code: 'HEADER_NOT_ENCODABLE',
      field: 'deep',
    });
  });

  it("never includes headers of ours or the broker's, however they got there", () => {
    const { headers } = copyOf(
      withHeaders({ 'x-death': big, 'x-failure-class': 'forged', CC: ['a'] }),
      stampOf(),
      'q',
    );

    expect(headers['x-failure-class']).toBe('transient');
    expect(headers).not.toHaveProperty('x-death');
    expect(headers).not.toHaveProperty('CC');
  });
});
