import { describe, expect, it } from 'vitest';
import { handler, PHYSICAL_ID } from '../../../functions/topology/custom-resource.ts';
import { TopologyError } from '../../../functions/topology/errors.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { parseProperties } from '../../../functions/topology/resource-properties.ts';

const topology = buildTopology([
  {
    name: 'orders',
    queue: 'orders',
    queueMode: 'declare',
    bindings: [],
    schedule: { delaysMs: [30_000], jitter: { lanes: 1, spread: 0 } },
  },
]);
const good = {
  ServiceToken: 'arn:aws:lambda:…',
  Vhost: 'layover',
  Mode: 'apply',
  Model: JSON.stringify(topology),
  Users: '[]',
};

describe('properties of the custom resource', () => {
  it('are read as they were written', () => {
    expect(parseProperties(good)).toEqual({
      vhost: 'layover',
      mode: 'apply',
      topology,
      users: [],
    });
  });

  const bad: readonly [string, object, string][] = [
    ['no virtual host', { Vhost: '' }, 'Vhost must be a name, got "".'],
    ['an unknown mode', { Mode: 'delete' }, "Mode must be 'apply' or 'check', got \"delete\"."],
    ['a model that is no JSON', { Model: '{' }, 'Model must be JSON text.'],
    ['no model', { Model: undefined }, 'Model must be JSON text, got undefined.'],
    ['a model without queues', { Model: '{"exchanges":[]}' }, "Model has no list 'queues'"],
    ['users that are no list', { Users: '{}' }, 'Users must be a list, got {}.'],
  ];
  it.each(bad)('are refused with %s', (_what, change, message) => {
    expect(() => parseProperties({ ...good, ...change })).toThrow(message);
  });

  it('case 58: are refused when a TTL is text, as CloudFormation would make of a number', () => {
    const broken = structuredClone(topology) as unknown as {
      queues: { arguments: Record<string, unknown> }[];
    };
    const wait = broken.queues[1];
    if (wait === undefined) throw new Error('no wait queue');
    wait.arguments['x-message-ttl'] = '30000';
    expect(() => parseProperties({ ...good, Model: JSON.stringify(broken) })).toThrow(
      TopologyError,
    );
  });
});

describe('Delete', () => {
  it('case 40: touches nothing, not even the settings, since queues may hold messages', async () => {
    const response = await handler({ RequestType: 'Delete', ResourceProperties: {} });
    expect(response).toEqual({ PhysicalResourceId: PHYSICAL_ID, Data: {} });
  });
});
