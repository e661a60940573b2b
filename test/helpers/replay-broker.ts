import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import type { Options } from 'amqplib';
import { onTestFinished } from 'vitest';
import type { Flow } from '../../functions/policy/types.ts';
import { createBrokerSide } from '../../functions/replay/broker-side.ts';
import type { ReplayPorts } from '../../functions/replay/ports.ts';
import type { ReplayStore } from '../../functions/replay/store/replay-store.ts';
import { applyTopology } from '../../functions/topology/apply.ts';
import { parkedQueueName } from '../../functions/topology/names.ts';
import { brokerUrl } from './broker.ts';
import { parkedCopy, replayFlow } from './replay-world.ts';
import { Scratch } from './scratch.ts';
import { until } from './until.ts';

/** A flow with real queues, its parking filled by the test. */
export interface ReplayBroker {
  readonly scratch: Scratch;
  readonly flow: Flow<never>;
  readonly parked: string;
  ports(store: ReplayStore, changes?: Partial<ReplayPorts>): ReplayPorts;
  /** Parks copies of ours and waits until they are ready. */
  park(from: number, to: number, headers?: (n: number) => Record<string, unknown>): Promise<void>;
}

export async function replayBroker(replay: Record<string, unknown> = {}): Promise<ReplayBroker> {
  const scratch = await Scratch.open();
  const queue = scratch.name('orders');
  await applyTopology(scratch.connection, scratch.topology({ queue, delaysMs: [10_000] }), {
    mode: 'apply',
  });
  const flow: Flow<never> = { ...replayFlow(`flow-${randomUUID().slice(0, 8)}`, replay), queue };
  const parked = parkedQueueName(queue);
  const config = { kind: 'url' as const, url: brokerUrl() };
  return {
    scratch,
    flow,
    parked,
    ports: (store, changes = {}) => {
      const side = createBrokerSide(config, Date.now);
      onTestFinished(() => side.close());
      return {
        environment: 'local',
        vhost: '/',
        store,
        ...side,
        killSwitch: async () => 'on',
        workStates: async (_flow, messages) =>
          messages.map(() => ({ kind: 'read', value: 'none' })),
        exporter: { keep: () => Promise.reject(new Error('no export in this test')) },
        log: () => undefined,
        now: Date.now,
        wait: async (ms, signal) => {
          await wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
        },
        breathe: setImmediate,
        newId: () => randomUUID(),
        ...changes,
      };
    },
    park: async (from, to, headers = () => ({})) => {
      const before = await scratch.ready(parked);
      for (let n = from; n < to; n++) {
        const { content, properties } = parkedCopy(n, { 'x-origin-queue': queue, ...headers(n) });
        const options: Options.Publish = { ...properties, persistent: true };
        if (!scratch.channel.sendToQueue(parked, content, options)) {
          await new Promise((resolve) => scratch.channel.once('drain', resolve));
        }
      }
      await scratch.channel.waitForConfirms();
      const count = before + to - from;
      await until('all to be parked', async () => (await scratch.ready(parked)) === count, {
        timeoutMs: 20_000,
      });
    },
  };
}
