import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isolatedQueueName } from '../../functions/topology/names.ts';
import { brokerUrl } from '../helpers/broker.ts';
import { until } from '../helpers/until.ts';
import { type ChaosStage, openChaosStage } from './harness/chaos-stage.ts';
import { type ControlPlan, NO_PLAN } from './harness/control.ts';
import type { Place } from './harness/faults.ts';
import type { Scene } from './harness/scene.ts';
import { openWiredScene } from './harness/wired-scene.ts';
import type { Wires } from './harness/wires.ts';

let stage: ChaosStage;
beforeAll(async () => {
  stage = await openChaosStage(brokerUrl());
});
afterAll(() => stage.close());

const open = (name: string, plan: ControlPlan = NO_PLAN) =>
  openWiredScene(stage, undefined, { name, plan });
const refused: ControlPlan = {
  ...NO_PLAN,
  refusals: new Map([['m-0', { status: 503, attempts: 1 }]]),
};

/** The table goes away while the handler of the first message is at its downstream. */
function tableGoesDownInHandler({ control }: Scene, { toTable }: Wires): void {
  control.onCall = () => {
    if (control.ledger.entries.length > 0) return;
    toTable.refuse(true);
    toTable.cut();
  };
}

/** The invocation has settled the message without the table: it waits in isolation. */
async function untilNoted({ work, isolated }: Scene): Promise<void> {
  await until(
    'the ended run is noted',
    () => [...work.invoked, ...isolated.invoked].some(({ failed }) => failed === undefined),
    { timeoutMs: 20_000 },
  );
}

describe('the table of claims, out of reach', () => {
  it.concurrent('before the handler: nothing runs until it is back', async () => {
    await using wired = await open('before');
    const { scene, wires } = wired;
    await scene.publish(['m-0', 'm-1']);
    await wires.tableDown(async () => {
      await scene.start();
      await until('an invocation failed', () => scene.work.invoked.length > 0, {
        timeoutMs: 20_000,
      });
      expect(scene.control.ledger.entries).toEqual([]);
      expect(scene.work.invoked[0]?.failed).toBe('FUNCTION_ERROR');
    });
    const { messages } = await scene.rest();

    expect(messages.map(({ effects, parked }) => ({ effects, parked }))).toEqual([
      { effects: 1, parked: [] },
      { effects: 1, parked: [] },
    ]);
  });

  it.concurrent.each<[Place]>([['work'], ['isolated']])(
    'after a handler that succeeded (%s): it is not run again',
    async (place) => {
      await using wired = await open(`after-${place}`);
      const { scene, wires } = wired;
      tableGoesDownInHandler(scene, wires);
      await publishTo(scene, place);
      await scene.start();
      await untilNoted(scene);
      wires.toTable.refuse(false);
      const books = await scene.rest();

      expect(books.messages).toMatchObject([{ effects: 1, completed: true, parked: [] }]);
      expect(scene.control.ledger.entries).toHaveLength(1);
    },
  );

  it.concurrent.each<[Place]>([['work'], ['isolated']])(
    'after a handler that failed (%s): it runs again under the same number, and nobody is convicted',
    async (place) => {
      await using wired = await open(`failed-${place}`, refused);
      const { scene, wires } = wired;
      tableGoesDownInHandler(scene, wires);
      await publishTo(scene, place);
      await scene.start();
      await untilNoted(scene);
      wires.toTable.refuse(false);
      const books = await scene.rest();

      expect(books.messages).toMatchObject([
        { effects: 1, completed: true, parked: [], attempts: [1, 1, 2] },
      ]);
      expect(books.overCap).toEqual([]);
    },
  );
});

describe('a table that answers too late', () => {
  it.concurrent('while a claim is taken in isolation: the message is not convicted', async () => {
    await using wired = await open('late');
    const { scene, wires } = wired;
    // What is asked reaches the table and takes effect; its answer comes after every deadline.
    wires.toTable.delay(2_500);
    await publishTo(scene, 'isolated');
    await scene.start();
    await untilNoted(scene);
    expect(scene.control.ledger.entries).toEqual([]);
    wires.toTable.delay(0);
    const books = await scene.rest();

    expect(books.messages).toMatchObject([{ effects: 1, completed: true, parked: [] }]);
  });
});

function publishTo(scene: Scene, place: Place): Promise<void> {
  const { queue } = scene.flow;
  return scene.publish(['m-0'], place === 'work' ? queue : isolatedQueueName(queue));
}
