import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyTopology } from '../../functions/topology/apply.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { parkedQueueName, waitQueueName } from '../../functions/topology/names.ts';
import { brokerUrl, managementGet, managementUrl } from '../helpers/broker.ts';
import { until } from '../helpers/until.ts';
import { BrokerAdmin } from './harness/broker-admin.ts';
import { type ChaosStage, openChaosStage } from './harness/chaos-stage.ts';
import { publishAll } from './harness/messages.ts';
import { Scene } from './harness/scene.ts';

let stage: ChaosStage;
let admin: BrokerAdmin;
beforeAll(async () => {
  stage = await openChaosStage(brokerUrl());
  admin = BrokerAdmin.of(brokerUrl(), managementUrl()) as BrokerAdmin;
});
afterAll(() => stage.close());

const failures = (scene: Scene) => scene.work.invoked.filter(({ failed }) => failed !== undefined);
const refusing = (status: number, attempts: number) => ({
  kills: [],
  poison: new Map(),
  refusals: new Map([['m-0', { status, attempts }]]),
});
const open = (name: string, plan: ReturnType<typeof refusing>) =>
  Scene.open(stage, { name, plan, timeoutMs: 5_000 });

/** `max-length` as somebody's policy would set it: Amazon MQ clusters come with one. */
async function limited<T>(queue: string, act: () => Promise<T>): Promise<T> {
  const pattern = `^${queue.replaceAll('.', '\\.')}$`;
  await admin.limitLength(queue, pattern, 0);
  try {
    return await act();
  } finally {
    await admin.unlimit(queue, pattern);
  }
}

describe('a queue that takes no copy', () => {
  it.concurrent('full: a publish that is nacked gives up nothing', async () => {
    const scene = await open('full', refusing(422, 99));
    try {
      await limited(parkedQueueName(scene.flow.queue), async () => {
        await fillUntilRefused(parkedQueueName(scene.flow.queue));
        await scene.publish(['m-0']);
        await scene.start();
        await until('an invocation failed', () => failures(scene).length > 0, {
          timeoutMs: 20_000,
        });
        expect(scene.work.invoked.filter(({ failed }) => failed === undefined)).toEqual([]);
      });
      const books = await scene.rest();

      expect(books.messages).toMatchObject([{ effects: 0, parked: ['invalid'] }]);
    } finally {
      await scene.close();
    }
  });

  it.concurrent('missing: a publish that is returned gives up nothing', async () => {
    const scene = await open('missing', refusing(503, 1));
    try {
      const queue = waitQueueName(scene.flow.queue, scene.flow.schedule.delaysMs[0] ?? 0);
      const channel = await stage.connection.createChannel();
      await channel.deleteQueue(queue);
      await channel.close();
      await scene.publish(['m-0']);
      await scene.start();
      await until('an invocation failed', () => failures(scene).length > 0, { timeoutMs: 20_000 });
      const topology = buildTopology([scene.flow], { isolatedWaitMs: 500 });
      await applyTopology(stage.connection, topology, { mode: 'apply' });
      const books = await scene.rest();

      expect(scene.work.invoked[0]?.failed).toBe('FUNCTION_ERROR');
      expect(books.messages).toMatchObject([{ effects: 1, completed: true, parked: [] }]);
    } finally {
      await scene.close();
    }
  });

  it.concurrent('full when a wait is over: the broker keeps the copy', async () => {
    const scene = await open('wait', refusing(503, 1));
    const { queue, schedule } = scene.flow;
    const wait = waitQueueName(queue, schedule.delaysMs[0] ?? 0);
    try {
      await limited(queue, async () => {
        await fillUntilRefused(queue);
        await publishAll(stage.connection, wait, ['m-0']);
        const path = `/api/queues/%2F/${encodeURIComponent(wait)}`;
        // Neither ready nor gone: dead-lettered, not yet taken, and kept for as long as that lasts.
        await until(
          'the copy is held for its target',
          async () => {
            const found = (await managementGet(path)) as { readonly messages_dlx?: number };
            return found.messages_dlx === 1 && (await scene.depths()).get(wait) === 0;
          },
          { timeoutMs: 20_000, intervalMs: 200 },
        );
        expect((await scene.depths()).get(wait)).toBe(0);
      });
    } finally {
      await scene.close();
    }
  });
});

/** A limit is felt by the second message at the earliest; afterwards the queue is empty of those, and full. */
async function fillUntilRefused(queue: string): Promise<void> {
  const channel = await stage.connection.createConfirmChannel();
  channel.on('error', () => {});
  const refused = () =>
    new Promise<boolean>((resolve) => {
      channel.sendToQueue(queue, Buffer.from('{}'), { messageId: 'filler' }, (error: unknown) =>
        resolve(error !== null),
      );
    });
  await until('the queue refuses', refused, { timeoutMs: 15_000 });
  await channel.close();
}
