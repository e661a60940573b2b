import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokerUrl, managementUrl } from '../helpers/broker.ts';
import { until } from '../helpers/until.ts';
import { type ChaosStage, openChaosStage } from './harness/chaos-stage.ts';
import { openWiredScene } from './harness/wired-scene.ts';

let stage: ChaosStage;
beforeAll(async () => {
  stage = await openChaosStage(brokerUrl());
});
afterAll(() => stage.close());

const once = { status: 503, attempts: 1 };
const plan = (...ids: readonly string[]) => ({
  kills: [],
  poison: new Map(),
  refusals: new Map(ids.map((id) => [id, once] as const)),
});

describe('a secret that is rotated', () => {
  it.concurrent('is read once more by a warm function, and costs no invocation', async () => {
    await using wired = await openWiredScene(stage, managementUrl(), {
      name: 'rotated',
      plan: plan('before', 'after'),
    });
    const { scene, wires } = wired;
    await scene.start();
    await scene.publish(['before']);
    await until('the first is done', () => scene.progress === 1, { timeoutMs: 20_000 });
    const readsBefore = wires.secrets.reads.length;

    await scene.disturbed(() => wires.rotate());
    await scene.publish(['after']);
    const books = await scene.rest();

    expect(wires.secrets.reads).toHaveLength(readsBefore + 1);
    expect(scene.work.invoked.filter(({ failed }) => failed !== undefined)).toEqual([]);
    expect(books.messages.map(({ effects, parked }) => ({ effects, parked }))).toEqual([
      { effects: 1, parked: [] },
      { effects: 1, parked: [] },
    ]);
  });

  it.concurrent('and not yet written back: the invocation fails, never the message', async () => {
    await using wired = await openWiredScene(stage, managementUrl(), {
      name: 'stale-secret',
      plan: plan('m-0'),
    });
    const { scene, wires } = wired;
    const good = wires.secrets.answer;
    wires.secrets.answer = () => ({
      text: JSON.stringify({ ...wires.login, password: 'a password of yesterday' }),
    });
    await scene.publish(['m-0']);
    await scene.start();
    await until('an invocation failed', () => scene.work.invoked.length > 0, { timeoutMs: 20_000 });
    const duringIt = await scene.books();
    wires.secrets.answer = good;
    const books = await scene.rest();

    expect(scene.work.invoked[0]?.failed).toBe('FUNCTION_ERROR');
    expect(duringIt.messages).toMatchObject([{ effects: 0, parked: [] }]);
    expect(books.messages).toMatchObject([{ effects: 1, parked: [] }]);
  });
});
