import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokerUrl } from '../helpers/broker.ts';
import { until } from '../helpers/until.ts';
import { type ChaosStage, openChaosStage } from './harness/chaos-stage.ts';
import type { ControlPlan } from './harness/control.ts';
import type { Scene } from './harness/scene.ts';
import { openWiredScene } from './harness/wired-scene.ts';

let stage: ChaosStage;
beforeAll(async () => {
  stage = await openChaosStage(brokerUrl());
});
afterAll(() => stage.close());

/** Each is refused once, so that a copy has to be published. */
function refusedOnce(...ids: readonly string[]): ControlPlan {
  const refusals = new Map(ids.map((id) => [id, { status: 503, attempts: 1 }] as const));
  return { kills: [], poison: new Map(), refusals };
}

const wasRefused = (scene: Scene, id: string) => scene.control.ledger.runsOf(id).length > 0;
const failures = (scene: Scene) => scene.work.invoked.filter(({ failed }) => failed !== undefined);
const open = (name: string, plan: ControlPlan) =>
  openWiredScene(stage, process.env.LAYOVER_TEST_MANAGEMENT_URL, { name, plan });

describe('the connection of a function', () => {
  it.concurrent('cut before the confirm: the copy is published again, in the same invocation', async () => {
    await using wired = await open('cut', refusedOnce('first', 'second'));
    const { scene, wires } = wired;
    await scene.start();
    await scene.publish(['first']);
    await until('the first is done', () => scene.progress === 1, { timeoutMs: 20_000 });

    wires.toBroker.blackHole(true);
    await scene.publish(['second']);
    await until('the copy is on its way', () => wasRefused(scene, 'second'), { timeoutMs: 10_000 });
    wires.toBroker.blackHole(false);
    await scene.disturbed(async () => wires.toBroker.cut());
    const books = await scene.rest();

    expect(failures(scene)).toEqual([]);
    expect(books.messages).toMatchObject([
      { id: 'first', effects: 1, parked: [] },
      { id: 'second', effects: 1, parked: [] },
    ]);
    expect(books.overCap).toEqual([]);
  });

  it.concurrent('black-holed: the invocation fails in time, and the broker still has the batch', async () => {
    await using wired = await open('hole', refusedOnce('m-0', 'm-1'));
    const { scene, wires } = wired;
    wires.toBroker.blackHole(true);
    await scene.publish(['m-0', 'm-1']);
    await scene.start();
    await until('an invocation failed', () => failures(scene).length > 0, { timeoutMs: 20_000 });
    const duringIt = await scene.books();
    wires.toBroker.blackHole(false);
    wires.toBroker.cut();
    const books = await scene.rest();

    // It noticed by itself, before Lambda's timeout would have ended it without a word.
    expect(failures(scene)[0]?.failed).toBe('FUNCTION_ERROR');
    expect(duringIt.messages.map(({ effects }) => effects)).toEqual([0, 0]);
    expect(books.messages.map(({ effects }) => effects)).toEqual([1, 1]);
    expect(books).toMatchObject({ lost: [], torn: [], overCap: [], wronglyConvicted: [] });
  });
});

describe('the connection of a poller', () => {
  it.concurrent('cut in mid-invocation: what was done is known as duplicate when it comes back', async () => {
    const ids = ['m-0', 'm-1', 'm-2', 'm-3', 'm-4', 'm-5'];
    await using wired = await open('poller', refusedOnce('m-2'));
    const { scene, wires } = wired;
    let cuts = 0;
    scene.control.onCall = ({ id }) => {
      if (id !== 'm-3' || cuts++ > 0) return;
      void scene.disturbed(async () => wires.ofPoller.cut());
    };
    await scene.publish(ids);
    await scene.start();
    const books = await scene.rest();

    expect(cuts).toBeGreaterThan(0);
    expect(books.messages.map(({ effects }) => effects)).toEqual(ids.map(() => 1));
    expect(books).toMatchObject({ lost: [], torn: [], overCap: [], wronglyConvicted: [] });
  });
});
