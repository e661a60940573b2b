import { describe, expect, it } from 'vitest';
import { parseMappings } from '../../../functions/consumer/mapping-setting.ts';
import { SettingsError } from '../../../functions/consumer/settings.ts';

describe('LAYOVER_MAPPINGS', () => {
  it('is none in a local run, where there are no mappings', () => {
    expect(parseMappings(undefined)).toEqual({});
    expect(parseMappings('')).toEqual({});
  });

  it('names the mappings of each flow', () => {
    expect(parseMappings('{"orders":["a","b"],"mails":[]}')).toEqual({
      orders: ['a', 'b'],
      mails: [],
    });
  });

  it.each([
    'orders',
    'null',
    '[]',
    '"orders"',
    '{"orders":"a"}',
    '{"orders":[1]}',
    '{"orders":[""]}',
  ])('is refused, with the value and the way out: %s', (text) => {
    expect(() => parseMappings(text)).toThrow(SettingsError);
    expect(() => parseMappings(text)).toThrow(`LAYOVER_MAPPINGS is '${text}'; give the mappings'`);
  });

  it('is not repeated in full when it is long', () => {
    try {
      parseMappings('x'.repeat(4_000));
      expect.unreachable();
    } catch (error) {
      expect((error as Error).message.length).toBeLessThan(400);
    }
  });
});
