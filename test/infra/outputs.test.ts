import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { givenBroker, givenInput, newInput, OUTPUTS } from './inputs.ts';
import { FIRST_SYNTH_MS, synthesise } from './stacks.ts';

const DOCS = new URL('../../docs/', import.meta.url);

const texts = readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => readFileSync(new URL(file, DOCS), 'utf8'))
  .join('\n');
const found = (pattern: RegExp) => [...texts.matchAll(pattern)].map(([, name = '']) => name);

const printed = () => synthesise({ ...givenInput, broker: { ...givenBroker, rules: 'print' } });

describe('outputs', () => {
  it(
    'have names without a hash',
    () => {
      const prod = synthesise(newInput, { name: 'prod' });
      expect(Object.keys(prod.outputs).sort()).toEqual(OUTPUTS);
      expect(Object.keys(printed().outputs).sort()).toEqual([...OUTPUTS, 'RulesToAdd'].sort());
    },
    FIRST_SYNTH_MS,
  );

  it('are what the documentation asks for', () => {
    const queried = found(/OutputKey=='([^']*)'/g);
    expect(queried).not.toEqual([]);
    expect(Object.keys(synthesise(newInput, { name: 'prod' }).outputs)).toEqual(
      expect.arrayContaining(queried),
    );
    const named = [...found(/\boutputs? `(\w+…?)`/g), ...found(/`(\w*PolicyArn)`/g)];
    expect(named).toContain('RulesToAdd');
    expect(Object.keys(printed().outputs)).toEqual(expect.arrayContaining(named));
  });
});
