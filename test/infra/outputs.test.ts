import { readdirSync, readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { billingApp } from './adoption/app.ts';
import { givenBroker, givenInput, newInput } from './inputs.ts';
import { FIRST_SYNTH_MS, synthesise } from './stacks.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const ALWAYS = [
  'BrokerAdminSecret',
  'BrokerHost',
  'ReplayBodiesPolicyArn',
  'ReplayConfigurePolicyArn',
  'ReplayExports',
  'ReplayRunPolicyArn',
  'ReplayViewPolicyArn',
];

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
      expect(Object.keys(prod.outputs).sort()).toEqual(ALWAYS);
      expect(Object.keys(printed().outputs).sort()).toEqual([...ALWAYS, 'RulesToAdd'].sort());
    },
    FIRST_SYNTH_MS,
  );

  it('have the same names in the stack of an app that adopts flows', async () => {
    const stack = await billingApp(new App({ analyticsReporting: false }));
    const ours = Object.keys(Template.fromStack(stack).findOutputs('*'));
    expect(ours).toEqual(expect.arrayContaining(ALWAYS));
  });

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
