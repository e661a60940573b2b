import { describe, expect, it } from 'vitest';
import type { QueueFigures } from '../../../functions/probe/figures.ts';
import { RETIREMENT_MS, readRetired } from '../../../functions/probe/retired-tiers.ts';
import { buildTopology } from '../../../functions/topology/model.ts';

const topology = buildTopology([
  {
    name: 'orders',
    queue: 'orders',
    queueMode: 'declare',
    bindings: [],
    schedule: { delaysMs: [10_000], jitter: { lanes: 1, spread: 0 } },
  },
]);
const T0 = Date.UTC(2026, 4, 1);
const looks = (queues: Record<string, QueueFigures>) => new Map(Object.entries(queues));
const read = (
  queues: Record<string, QueueFigures>,
  before: Parameters<typeof readRetired>[2],
  nowMs: number,
) => readRetired(topology, looks(queues), before, nowMs);

describe('a retired tier', () => {
  it('is noticed when no flow names it any more', () => {
    expect(read({ 'orders.wait.30s': { messages: 2 } }, {}, T0)).toEqual({
      remove: [],
      memory: { 'orders.wait.30s': { sinceMs: T0, emptyRuns: 0 } },
    });
  });

  it('is removed a day later, once its total was 0 twice', () => {
    const first = read({ 'orders.wait.30s': { messages: 0 } }, {}, T0);
    expect(first.remove).toEqual([]);
    const second = read({ 'orders.wait.30s': { messages: 0 } }, first.memory, T0 + RETIREMENT_MS);
    expect(second).toEqual({ remove: ['orders.wait.30s'], memory: {} });
  });

  it('stays while it holds a message, whatever its age', () => {
    const memory = { 'orders.wait.30s': { sinceMs: T0, emptyRuns: 5 } };
    const later = T0 + 10 * RETIREMENT_MS;
    const reading = read({ 'orders.wait.30s': { messages: 1 } }, memory, later);
    expect(reading.remove).toEqual([]);
    expect(reading.memory['orders.wait.30s']?.emptyRuns).toBe(0);
  });

  it('stays while its total is unknown', () => {
    const memory = { 'orders.wait.30s': { sinceMs: T0, emptyRuns: 5 } };
    expect(read({ 'orders.wait.30s': {} }, memory, T0 + 2 * RETIREMENT_MS).remove).toEqual([]);
  });

  it('stays on the day of the deployment, when older versions may still publish to it', () => {
    const memory = { 'orders.wait.30s': { sinceMs: T0, emptyRuns: 500 } };
    const soon = T0 + RETIREMENT_MS - 1;
    expect(read({ 'orders.wait.30s': { messages: 0 } }, memory, soon).remove).toEqual([]);
  });

  it('is forgotten when a rollback names it again', () => {
    const memory = { 'orders.wait.10s': { sinceMs: T0, emptyRuns: 500 } };
    const reading = read({ 'orders.wait.10s': { messages: 0 } }, memory, T0 + 2 * RETIREMENT_MS);
    expect(reading).toEqual({ remove: [], memory: {} });
  });
});

describe('never removed', () => {
  const empty = { messages: 0 };
  const names = [
    'orders',
    'orders.parked',
    'orders.isolated',
    'orders.isolated.wait',
    'orders.wait.10s',
    'orders.wait.',
    'orders.wait.soon',
    'orders.wait.30s.parked',
    'orders.isolated.wait.30s',
    'somebody.wait.30s',
    'reorders.wait.30s',
    'orders_wait_30s',
  ];
  it.each(names)('%s', (name) => {
    const memory = { [name]: { sinceMs: 0, emptyRuns: 9 } };
    expect(read({ [name]: empty }, memory, T0).remove).toEqual([]);
  });
});
