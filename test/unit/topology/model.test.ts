import { describe, expect, it } from 'vitest';
import { TopologyError } from '../../../functions/topology/errors.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import type { Topology } from '../../../functions/topology/types.ts';
import { aFlow } from './fixtures.ts';

function queueNames(topology: Topology): string[] {
  return topology.queues.map(({ name }) => name);
}

function argumentsOf(topology: Topology, name: string) {
  return topology.queues.find((queue) => queue.name === name)?.arguments;
}

describe('the queues of a flow', () => {
  it('are the work queue, a wait queue per delay, isolation with its wait, and parking', () => {
    const topology = buildTopology([aFlow()]);

    expect(topology.queues.map(({ name, role, delayMs }) => [name, role, delayMs])).toEqual([
      ['orders', 'work', undefined],
      ['orders.wait.10s', 'wait', 10_000],
      ['orders.wait.1m', 'wait', 60_000],
      ['orders.isolated', 'isolated', undefined],
      ['orders.isolated.wait', 'isolated-wait', 30_000],
      ['orders.parked', 'parked', undefined],
    ]);
  });

  it('work and isolation dead-letter into parking, as a last net', () => {
    const topology = buildTopology([aFlow()]);
    const expected = {
      'x-queue-type': 'quorum',
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': 'orders.parked',
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
      'x-delivery-limit': 1_000,
    };

    expect(argumentsOf(topology, 'orders')).toEqual(expected);
    expect(argumentsOf(topology, 'orders.isolated')).toEqual(expected);
  });

  it('a wait queue expires everything back to the work queue, at least once', () => {
    expect(argumentsOf(buildTopology([aFlow()]), 'orders.wait.10s')).toEqual({
      'x-queue-type': 'quorum',
      'x-message-ttl': 10_000,
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': 'orders',
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
      'x-delivery-limit': 2_000_000_000,
    });
  });

  it('a wait in isolation leads back to isolation', () => {
    const topology = buildTopology([aFlow()], { isolatedWaitMs: 250 });

    expect(argumentsOf(topology, 'orders.isolated.wait')).toMatchObject({
      'x-message-ttl': 250,
      'x-dead-letter-routing-key': 'orders.isolated',
      'x-delivery-limit': 2_000_000_000,
    });
  });

  it('case 2: parking has no TTL and no dead-letter exchange', () => {
    expect(argumentsOf(buildTopology([aFlow()]), 'orders.parked')).toEqual({
      'x-queue-type': 'quorum',
      'x-overflow': 'reject-publish',
      'x-delivery-limit': 2_000_000_000,
    });
  });

  it('case 32: every queue that is declared says its delivery limit', () => {
    const { queues } = buildTopology([aFlow()]);

    expect(queues.every((queue) => Number(queue.arguments['x-delivery-limit']) >= 1_000)).toBe(
      true,
    );
  });

  it('a flow that never retries still has one wait queue, for deferrals', () => {
    expect(queueNames(buildTopology([aFlow({ delaysMs: [] })]))).toContain('orders.wait.10s');
  });

  it('the same delay twice is one queue', () => {
    const names = queueNames(buildTopology([aFlow({ delaysMs: [10_000, 10_000] })]));

    expect(names.filter((name) => name.includes('.wait.'))).toEqual(['orders.wait.10s']);
  });

  it('each jitter lane is a queue of its own, and only lengthens', () => {
    const topology = buildTopology([
      aFlow({ delaysMs: [30_000], jitter: { lanes: 3, spread: 0.1 } }),
    ]);

    const waits = topology.queues.filter(({ role }) => role === 'wait');
    expect(waits.map(({ name, delayMs }) => [name, delayMs])).toEqual([
      ['orders.wait.30s', 30_000],
      ['orders.wait.33s', 33_000],
      ['orders.wait.36s', 36_000],
    ]);
  });

  it('a scaled delay gets a name by its milliseconds', () => {
    const names = queueNames(buildTopology([aFlow({ delaysMs: [83] })]));

    expect(names).toContain('orders.wait.83ms');
  });

  it('case 58: 28 days is one whole positive number', () => {
    const topology = buildTopology([aFlow({ delaysMs: [2_419_200_000] })]);

    expect(argumentsOf(topology, 'orders.wait.28d')?.['x-message-ttl']).toBe(2_419_200_000);
  });

  it('a queue of someone else’s is not declared, all the others are', () => {
    const topology = buildTopology([aFlow({ queueMode: 'existing', bindings: [] })]);

    expect(topology.queues[0]).toEqual({
      name: 'orders',
      flow: 'orders',
      role: 'work',
      declare: false,
      arguments: {},
    });
    expect(topology.queues.slice(1).every(({ declare }) => declare)).toBe(true);
  });

  it('case 6: two flows with the same delay share nothing', () => {
    const topology = buildTopology([aFlow(), aFlow({ name: 'invoices', queue: 'invoices' })]);

    expect(new Set(queueNames(topology)).size).toBe(12);
    expect(argumentsOf(topology, 'invoices.wait.10s')?.['x-dead-letter-routing-key']).toBe(
      'invoices',
    );
  });

  it('is the same for the same flows', () => {
    expect(buildTopology([aFlow()])).toEqual(buildTopology([aFlow()]));
  });
});

describe('exchanges and bindings', () => {
  it('an exchange of several flows appears once', () => {
    const topology = buildTopology([aFlow(), aFlow({ name: 'invoices', queue: 'invoices' })]);

    expect(topology.exchanges).toEqual([{ name: 'shop', type: 'topic' }]);
    expect(topology.bindings).toEqual([
      { queue: 'orders', exchange: 'shop', routingKey: 'order.*', arguments: {} },
      { queue: 'invoices', exchange: 'shop', routingKey: 'order.*', arguments: {} },
    ]);
  });

  it('the same binding written twice is one, another argument makes another', () => {
    const binding = { exchange: 'h', type: 'headers', routingKey: '' } as const;
    const topology = buildTopology([
      aFlow({ bindings: [binding, binding, { ...binding, arguments: { kind: 'order' } }] }),
    ]);

    expect(topology.bindings.map((made) => made.arguments)).toEqual([{}, { kind: 'order' }]);
  });

  it('the broker’s own exchanges may be bound to', () => {
    const binding = { exchange: 'amq.topic', type: 'topic', routingKey: '#' } as const;

    expect(buildTopology([aFlow({ bindings: [binding] })]).exchanges).toEqual([
      { name: 'amq.topic', type: 'topic' },
    ]);
  });
});

describe('flows in each other’s way', () => {
  const bad = (code: TopologyError['code'], message: string) => new TopologyError(code, message);

  it('the same queue twice is refused', () => {
    expect(() => buildTopology([aFlow(), aFlow({ name: 'orders-too' })])).toThrow(
      bad(
        'CONFLICT',
        'Queue "orders" is wanted by flow "orders" (work) and by flow "orders-too" (work); give one of them another queue name.',
      ),
    );
  });

  it('a work queue named like another flow’s wait queue is refused', () => {
    const other = aFlow({ name: 'waits', queue: 'orders.wait.10s' });

    expect(() => buildTopology([aFlow(), other])).toThrow(
      bad(
        'CONFLICT',
        'Queue "orders.wait.10s" is wanted by flow "orders" (wait) and by flow "waits" (work); give one of them another queue name.',
      ),
    );
  });

  it('a work queue named like another flow’s isolation collides at its own queues', () => {
    const other = aFlow({ name: 'iso', queue: 'orders.isolated' });

    expect(() => buildTopology([aFlow(), other])).toThrow(/"orders.isolated" is wanted by/);
  });

  it('one exchange with two types is refused', () => {
    const other = aFlow({
      name: 'invoices',
      queue: 'invoices',
      bindings: [{ exchange: 'shop', type: 'fanout', routingKey: '' }],
    });

    expect(() => buildTopology([aFlow(), other])).toThrow(
      bad(
        'CONFLICT',
        'Exchange "shop" is "topic" in flow "orders" and "fanout" in flow "invoices"; an exchange has one type.',
      ),
    );
  });

  it('bindings of a queue that belongs to someone else are refused', () => {
    expect(() => buildTopology([aFlow({ queueMode: 'existing' })])).toThrow(
      bad(
        'BAD_BINDING',
        'Flow "orders" has bindings, but its queue "orders" belongs to someone else; leave them to its owner, or declare the queue.',
      ),
    );
  });

  it('the default exchange can not be bound', () => {
    const bindings = [{ exchange: '', type: 'direct', routingKey: 'orders' }] as const;

    expect(() => buildTopology([aFlow({ bindings })])).toThrow(
      bad(
        'BAD_NAME',
        "Exchange with an empty name; the default exchange can't be declared or bound, and needs neither.",
      ),
    );
  });
});

describe('case 6: names over 255 bytes', () => {
  it('a multibyte queue name is measured in bytes, with its suffix', () => {
    const queue = `${'é'.repeat(84)}ab`;

    expect(Buffer.byteLength(queue)).toBe(170);
    expect(() => buildTopology([aFlow({ queue, delaysMs: [300_001] })])).toThrow(
      new TopologyError(
        'BAD_NAME',
        `Queue name "${queue}.wait.300001ms" has 184 bytes, the broker takes 180 of a name with other than ASCII letters; shorten the flow's queue name.`,
      ),
    );
  });

  it('240 bytes with multibyte letters are too many even alone', () => {
    expect(() => buildTopology([aFlow({ queue: 'é'.repeat(120) })])).toThrow(/has 240 bytes/);
  });

  it('exactly 255 bytes will do', () => {
    const queue = 'q'.repeat(255 - '.isolated.wait'.length);

    expect(() => buildTopology([aFlow({ queue })])).not.toThrow();
    expect(() => buildTopology([aFlow({ queue: `${queue}q` })])).toThrow(/has 256 bytes/);
  });

  it('a routing key is measured as well', () => {
    const bindings = [{ exchange: 'shop', type: 'topic', routingKey: 'k'.repeat(300) }] as const;

    expect(() => buildTopology([aFlow({ bindings })])).toThrow(
      /has 300 bytes, the broker takes 255/,
    );
  });

  it.each(['', 'amq.orders'])('queue name "%s" is refused', (queue) => {
    expect(() => buildTopology([aFlow({ queue })])).toThrow(TopologyError);
  });
});

describe('case 58: delays', () => {
  it('50 days are over the broker’s ceiling', () => {
    expect(() => buildTopology([aFlow({ delaysMs: [4_320_000_000] })])).toThrow(
      new TopologyError(
        'BAD_ARGUMENT',
        'Queue "orders.wait.50d", x-message-ttl: must be a whole number of milliseconds from 1 to 4294967295 (49 days), got 4320000000.',
      ),
    );
  });

  it('a delay given as text is refused', () => {
    const delaysMs = ['30000' as unknown as number];

    expect(() => buildTopology([aFlow({ delaysMs })])).toThrow(
      /milliseconds from 1 up, got "30000"/,
    );
  });

  it('30 s → 45 s gives a new queue beside the old name', () => {
    const before = queueNames(buildTopology([aFlow({ delaysMs: [30_000] })]));
    const after = queueNames(buildTopology([aFlow({ delaysMs: [45_000] })]));

    expect(after.filter((name) => !before.includes(name))).toEqual(['orders.wait.45s']);
  });
});
