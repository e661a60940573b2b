import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { discoverFlows } from '../../infra/discover-flows.ts';
import { environments } from './given-environment.ts';
import { FIRST_SYNTH_MS, ofType, synthesise } from './stacks.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the environment beside a broker there is, as docs/deploy.md shows it', () => {
  it('is the one that is synthesised here', () => {
    const [, block = ''] = /```ts\n( *prod: defineEnvironment\(.*?)```/s.exec(
      read('../../docs/deploy.md'),
    ) ?? [undefined, 'No example was found.'];
    expect(read('given-environment.ts')).toContain(block);
  });

  it(
    'is synthesised with the flows of this repository, and makes no broker, network or user',
    async () => {
      const { name, ...input } = environments.prod;
      const flows = (await discoverFlows()).map(({ flow }) => flow);
      const synth = synthesise(input, { name, flows });

      for (const made of [
        'AWS::AmazonMQ::Broker',
        'AWS::EC2::VPC',
        'AWS::SecretsManager::Secret',
      ]) {
        expect(ofType(synth, made)).toEqual([]);
      }
      expect(ofType(synth, 'AWS::Lambda::EventSourceMapping')).toHaveLength(2 * flows.length);
      expect(synth.outputs).toHaveProperty('RulesToAdd');
    },
    FIRST_SYNTH_MS,
  );
});
