import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeeperLine, parseKeeperLine } from '../../../infra/local/broker/keeper-protocol.ts';

describe('parseKeeperLine', () => {
  it.each<KeeperLine>([
    { type: 'step', text: 'pulling', withinMs: 1_000 },
    { type: 'ready', data: { port: 5672 } },
    { type: 'failed', reason: 'no disk' },
  ])('reads what a keeper writes: $type', (line) => {
    expect(parseKeeperLine(JSON.stringify(line))).toEqual(line);
  });

  it.each([
    '',
    'Starting container…',
    'null',
    '3',
    '"step"',
    '{}',
    '{"type":"step"}',
    '{"type":"step","text":"x","withinMs":"1"}',
    '{"type":"failed"}',
    '{"type":"other"}',
  ])('takes %j for something a library printed', (text) => {
    expect(parseKeeperLine(text)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        parseKeeperLine(text);
      }),
    );
  });
});
