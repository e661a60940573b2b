import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseOptions } from '../../../infra/local/options.ts';

afterEach(() => vi.restoreAllMocks());

/** What is printed to stderr before the process would exit. */
function refusal(...argv: readonly string[]): string {
  let printed = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  vi.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  expect(() => parseOptions(argv)).toThrow('exit 1');
  return printed;
}

describe('parseOptions', () => {
  it('has the defaults of the scenario that ends within a minute', () => {
    expect(parseOptions([])).toEqual({
      messages: 500,
      seed: 1,
      speed: 120,
      flow: [],
      handBack: 'nack',
      kill: 0,
      poison: true,
      replay: true,
      keep: false,
      json: false,
    });
  });

  it('reads every option', () => {
    const line =
      '--messages 20 --seed 3 --speed 60.5 --flow orders --flow mine --hand-back close --kill 2 --no-poison --no-replay --keep --json';
    expect(parseOptions(line.split(' '))).toEqual({
      messages: 20,
      seed: 3,
      speed: 60.5,
      flow: ['orders', 'mine'],
      handBack: 'close',
      kill: 2,
      poison: false,
      replay: false,
      keep: true,
      json: true,
    });
  });

  it.each(['-1', '1.5', 'many', '', '1e99'])(
    'refuses --messages %j and says what it wants',
    (value) => {
      expect(refusal('--messages', value)).toMatch(/whole number of 0 or more/);
    },
  );

  it.each(['0', '0.5', '1001', 'fast', ''])(
    'refuses --speed %j and says what it wants',
    (value) => {
      expect(refusal('--speed', value)).toMatch(/from 1 \(real time\) to 1000/);
    },
  );

  it('lists the ways to hand back when it does not know one', () => {
    expect(refusal('--hand-back', 'drop')).toMatch(/nack, reject, close, memory/);
  });

  it('refuses an option it does not know', () => {
    expect(refusal('--fast')).toMatch(/unknown option '--fast'/);
  });
});
