import { describe, expect, it } from 'vitest';
import { ENGINES, type Engine } from '../../../infra/engine-rules.ts';
import type { EnvironmentInput } from '../../../infra/environment-types.ts';
import { unknownActions } from '../../infra/iam-actions.ts';
import { givenBroker, givenInput, newInput } from '../../infra/inputs.ts';
import { nagFindings } from '../../infra/nag-findings.ts';
import { specProblems } from '../../infra/spec-check.ts';
import { ofType, synthesise } from '../../infra/stacks.ts';

const matrix = ENGINES.flatMap((engine: Engine): [string, string, EnvironmentInput][] => {
  const shape = { engine, instanceType: engine === '3.13' ? 'mq.m5.large' : 'mq.m7g.large' };
  const fresh = { ...newInput, broker: { ...newInput.broker, ...shape } } as EnvironmentInput;
  return [
    [engine, 'new', fresh],
    [
      engine,
      'new, as a cluster over NAT',
      {
        ...fresh,
        network: { kind: 'new', zones: 3, reach: 'nat' },
        broker: { ...fresh.broker, deployment: 'cluster' } as EnvironmentInput['broker'],
      },
    ],
    [engine, 'given', { ...givenInput, broker: { ...givenBroker, ...shape } }],
    [
      engine,
      'given, checked only, rules by its owner',
      { ...givenInput, topology: 'check', broker: { ...givenBroker, ...shape, rules: 'print' } },
    ],
  ];
});

describe.each(matrix)('RabbitMQ %s, broker %s', (engine, kind, input) => {
  it('is synthesised, clean, and fits the specification', () => {
    const synth = synthesise(input, { nag: true });
    expect(nagFindings(synth).open).toEqual([]);
    expect(specProblems(synth.resources)).toEqual([]);
    expect(unknownActions(synth.resources)).toEqual([]);
    const versions = ofType(synth, 'AWS::AmazonMQ::Broker').map(
      ([, { Properties }]) => Properties.EngineVersion,
    );
    expect(versions).toEqual(kind.startsWith('new') ? [engine] : []);
  });

  it('has the same topology as every other, since one fits all engines', () => {
    const [[, resource] = []] = ofType(synthesise(input), 'Custom::LayoverTopology');
    const [[, first] = []] = ofType(synthesise(newInput), 'Custom::LayoverTopology');
    expect(resource?.Properties.Model).toBe(first?.Properties.Model);
  });
});
