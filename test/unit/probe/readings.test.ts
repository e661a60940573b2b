import { describe, expect, it } from 'vitest';
import { emf, METRICS } from '../../../functions/consumer/metrics.ts';
import type { QueueFigures } from '../../../functions/probe/figures.ts';
import { NO_MEMORY, parseMemory } from '../../../functions/probe/memory.ts';
import { readFlows } from '../../../functions/probe/readings.ts';
import { probeLines } from '../../../functions/probe/run-probe.ts';
import { buildTopology } from '../../../functions/topology/model.ts';

const topology = buildTopology([
  {
    name: 'orders',
    queue: 'orders',
    queueMode: 'declare',
    bindings: [],
    schedule: { delaysMs: [10_000, 60_000], jitter: { lanes: 1, spread: 0 } },
  },
]);
const NOW = Date.UTC(2026, 4, 1);
const calm: QueueFigures = {
  messages: 0,
  deadLettering: 0,
  consumers: 1,
  published: 0,
  acknowledged: 0,
};

function read(changes: Record<string, QueueFigures | undefined> = {}) {
  const figures = new Map<string, QueueFigures>();
  for (const { name } of topology.queues) {
    const figure = name in changes ? changes[name] : calm;
    if (figure !== undefined) figures.set(name, figure);
  }
  const [flow] = readFlows(topology, figures, NO_MEMORY, NOW).flows;
  if (flow === undefined) throw new Error('No flow was read.');
  return flow;
}

describe('the figures of a flow', () => {
  it('are all there, and calm, on a calm broker', () => {
    expect(read()).toEqual({
      flow: 'orders',
      metrics: {
        ParkedDepth: 0,
        ParkedAge: 0,
        DeadLettered: 0,
        WorkDepth: 0,
        IsolatedDepth: 0,
        WaitDepth: 0,
        WaitStuck: 0,
        UnreadQueues: 0,
      },
      waitDepth: { '10s': 0, '1m': 0 },
    });
  });

  it('case 40: count what is stuck in a wait queue, which is neither ready nor unacknowledged', () => {
    const flow = read({ 'orders.wait.10s': { ...calm, messages: 5, deadLettering: 5 } });
    expect(flow.metrics.WaitStuck).toBe(5);
    expect(flow.metrics.WaitDepth).toBe(5);
    expect(flow.waitDepth).toEqual({ '10s': 5, '1m': 0 });
  });

  it('count the queues that nobody reads, the isolated one too', () => {
    expect(read({ orders: { ...calm, consumers: 0 } }).metrics.UnreadQueues).toBe(1);
    expect(
      read({
        orders: { ...calm, consumers: 0 },
        'orders.isolated': { ...calm, consumers: 0 },
      }).metrics.UnreadQueues,
    ).toBe(2);
  });

  it('leave out what is not known, instead of printing a 0 or half a sum', () => {
    const flow = read({ 'orders.wait.10s': {}, orders: undefined, 'orders.parked': undefined });
    for (const name of ['WaitDepth', 'WaitStuck', 'WorkDepth', 'UnreadQueues', 'ParkedDepth']) {
      expect(flow.metrics).not.toHaveProperty(name);
    }
    expect(flow.waitDepth).toEqual({ '1m': 0 });
  });
});

describe('what is printed', () => {
  const lines = probeLines('prod', [read()], NOW).map((line) => JSON.parse(line));

  it('carries environment and flow, and zeros for the counters of the functions', () => {
    expect(lines[0]).toMatchObject({ environment: 'prod', flow: 'orders', ParkedDepth: 0 });
    for (const name of [METRICS.parked, METRICS.settleFailures, METRICS.handled]) {
      expect(lines[0][name]).toBe(0);
    }
  });

  it('has a line per tier, and ends with the sign of life', () => {
    expect(lines.slice(1, -1).map(({ tier, WaitDepth }) => [tier, WaitDepth])).toEqual([
      ['10s', 0],
      ['1m', 0],
    ]);
    expect(lines.at(-1)).toEqual(JSON.parse(emf(NOW, { environment: 'prod' }, { ProbeRuns: 1 })));
  });
});

describe('memory', () => {
  it('comes back as it was kept', () => {
    const memory = {
      seenAtMs: NOW,
      parking: { orders: { published: 1, acknowledged: 0, unexplained: 0, confirmed: 0 } },
      retired: { 'orders.wait.5s': { sinceMs: NOW, emptyRuns: 1 } },
    };
    expect(parseMemory(JSON.stringify(memory))).toEqual(memory);
  });

  it('is empty when nothing usable was kept', () => {
    for (const text of [undefined, '', 'null', '[]', '{"parking":1}', 'not json']) {
      expect(parseMemory(text)).toEqual(NO_MEMORY);
    }
  });
});
