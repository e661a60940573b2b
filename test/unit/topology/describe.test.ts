import { describe, expect, it } from 'vitest';
import { describeTopology } from '../../../functions/topology/describe.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { aFlow } from './fixtures.ts';

describe('describeTopology', () => {
  it('shows each flow’s queues with role and arguments, then exchanges and bindings', () => {
    const lines = describeTopology(buildTopology([aFlow({ delaysMs: [10_000] })])).split('\n');

    expect(lines).toEqual([
      'flow orders',
      '  orders                work           queue-type=quorum dead-letter-exchange="" dead-letter-routing-key=orders.parked dead-letter-strategy=at-least-once overflow=reject-publish delivery-limit=1000',
      '  orders.wait.10s       wait           queue-type=quorum message-ttl=10000 dead-letter-exchange="" dead-letter-routing-key=orders dead-letter-strategy=at-least-once overflow=reject-publish delivery-limit=2000000000',
      '  orders.isolated       isolated       queue-type=quorum dead-letter-exchange="" dead-letter-routing-key=orders.parked dead-letter-strategy=at-least-once overflow=reject-publish delivery-limit=1000',
      '  orders.isolated.wait  isolated-wait  queue-type=quorum message-ttl=30000 dead-letter-exchange="" dead-letter-routing-key=orders.isolated dead-letter-strategy=at-least-once overflow=reject-publish delivery-limit=2000000000',
      '  orders.parked         parked         queue-type=quorum overflow=reject-publish delivery-limit=2000000000',
      '',
      'exchanges',
      '  shop  topic  durable',
      '',
      'bindings',
      '  shop  → orders  key "order.*"',
    ]);
  });

  it('says of a queue that belongs to someone else that it is only checked', () => {
    const topology = buildTopology([aFlow({ queueMode: 'existing', bindings: [] })]);

    const text = describeTopology(topology);

    expect(text).toMatch(/^ {2}orders +work +checked only: somebody else's$/m);
    expect(text).not.toContain('bindings');
  });

  it('has a block per flow', () => {
    const topology = buildTopology([aFlow(), aFlow({ name: 'mail', queue: 'mail' })]);

    expect(describeTopology(topology).match(/^flow .*/gm)).toEqual(['flow orders', 'flow mail']);
  });

  it('of nothing is nothing', () => {
    expect(describeTopology(buildTopology([]))).toBe('');
  });
});
