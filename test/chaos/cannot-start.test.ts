import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HAND_BACKS } from '../../infra/local/hand-back.ts';
import { brokerUrl } from '../helpers/broker.ts';
import { until } from '../helpers/until.ts';
import { type ChaosStage, openChaosStage } from './harness/chaos-stage.ts';
import { Scene } from './harness/scene.ts';

/** More than RabbitMQ 4's default delivery limit of 20, which healthy messages would fall into. */
const MANY_STARTS = 22;
/** Enough to see that a way that is not counted makes no difference. */
const SOME_STARTS = 5;

let stage: ChaosStage;
beforeAll(async () => {
  stage = await openChaosStage(brokerUrl());
});
afterAll(() => stage.close());

describe('a function that cannot start for ten minutes', () => {
  it.concurrent.each(HAND_BACKS)('costs no message, handed back by %s', async (handBack) => {
    const starts = handBack === 'reject' ? MANY_STARTS : SOME_STARTS;
    const ids = Array.from({ length: 12 }, (_, n) => `m-${n}`);
    const scene = await Scene.open(stage, { name: `start-${handBack}`, handBack });
    try {
      for (const mapping of [scene.work, scene.isolated]) mapping.break();
      await scene.publish(ids);
      await scene.start();
      await until('the batch was handed back often', () => failedStarts(scene) >= starts, {
        timeoutMs: 60_000,
      });
      for (const mapping of [scene.work, scene.isolated]) mapping.repair();

      const books = await scene.rest();

      expect(books.messages).toHaveLength(ids.length);
      for (const message of books.messages) {
        expect(message).toMatchObject({ effects: 1, completed: true, parked: [] });
      }
    } finally {
      await scene.close();
    }
  });
});

function failedStarts({ work }: Scene): number {
  return work.invoked.filter(({ failed }) => failed === 'INIT_FAILED').length;
}
