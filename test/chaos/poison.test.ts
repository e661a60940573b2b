import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokerUrl } from '../helpers/broker.ts';
import type { ChaosBooks } from './harness/books.ts';
import { type ChaosStage, openChaosStage } from './harness/chaos-stage.ts';
import type { Control } from './harness/control.ts';
import { WAYS, type Way } from './harness/faults.ts';
import { Scene } from './harness/scene.ts';

const poisonOf = (way: Way) => `${way}.f`;
const neighboursOf = (way: Way) => [0, 2, 3, 4, 5].map((n) => `${way}-${n}`);

let stage: ChaosStage;
let books: ChaosBooks;
let control: Control;

beforeAll(async () => {
  stage = await openChaosStage(brokerUrl());
  const scene = await Scene.open(stage, {
    name: 'poison',
    plan: {
      kills: [],
      poison: new Map(WAYS.map((way) => [poisonOf(way), way])),
      refusals: new Map(),
    },
    timeoutMs: 6_000,
  });
  try {
    for (const way of WAYS) {
      const [first = '', ...others] = neighboursOf(way);
      await scene.publish([first, poisonOf(way), ...others]);
    }
    await scene.start();
    books = await scene.rest(90_000);
    control = scene.control;
  } finally {
    await scene.close();
  }
});
afterAll(() => stage.close());

const found = (id: string) => books.messages.find((message) => message.id === id);

describe('a message that ends the function whenever it runs', () => {
  it.each(WAYS)('is parked as poison when its way is %s', (way) => {
    expect(found(poisonOf(way))).toMatchObject({ parked: ['poison'], effects: 0 });
  });

  it.each(WAYS)('takes none of its neighbours with it when its way is %s', (way) => {
    const neighbours = neighboursOf(way).map(found);
    expect(neighbours).toHaveLength(5);
    for (const neighbour of neighbours) {
      expect(neighbour).toMatchObject({ honoured: 1, completed: true, parked: [] });
    }
  });

  it.each(WAYS)('runs once in its batch and once alone when its way is %s', (way) => {
    const deaths = control.fired.filter(({ id }) => id === poisonOf(way));
    expect(deaths.filter(({ place }) => place === 'isolated')).toHaveLength(1);
    expect(deaths.filter(({ place }) => place === 'work').length).toBeLessThanOrEqual(1);
  });

  it('leaves nothing in two places, and convicts nobody else', () => {
    const { lost, torn, surplus, wronglyConvicted } = books;
    expect([lost, torn, surplus, wronglyConvicted]).toEqual([[], [], [], []]);
  });
});
