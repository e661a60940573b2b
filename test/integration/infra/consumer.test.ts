import { readdirSync, readFileSync } from 'node:fs';
import amqp, { type Channel, type ChannelModel } from 'amqplib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyTopology } from '../../../functions/topology/apply.ts';
import type { Topology } from '../../../functions/topology/types.ts';
import { startTable, type TestTable } from '../../helpers/table.ts';
import { runBundle } from './run-bundle.ts';
import { ScratchVhost } from './scratch-vhost.ts';
import { type SynthesisedApp, synthesiseProd } from './synthesised.ts';

const FOLDER = new URL('../../fixtures/events/', import.meta.url);
const EVENTS = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
const COPIES = ['orders.parked', 'orders.isolated', 'orders.wait.10s', 'orders.wait.1m'];
const vhost = new ScratchVhost('layover-consumer');

interface Event {
  readonly rmqMessagesByQueue: Readonly<Record<string, readonly unknown[]>>;
}

let app: SynthesisedApp;
let table: TestTable;
let connection: ChannelModel;
let channel: Channel;

beforeAll(async () => {
  await vhost.remove();
  await vhost.create();
  app = await synthesiseProd();
  table = await startTable();
  connection = await amqp.connect(vhost.url);
  const topology = JSON.parse(String(app.topology.Model)) as Topology;
  await applyTopology(connection, topology, { mode: 'apply' });
  channel = await connection.createChannel();
});
afterAll(async () => {
  await connection.close();
  await vhost.remove();
  await table.stop();
});

/** The sample, as if it had come from the flow's queue. */
function sample(file: string): { event: Event; records: number } {
  const { rmqMessagesByQueue, ...rest } = JSON.parse(
    readFileSync(new URL(file, FOLDER), 'utf8'),
  ) as Event;
  const records = Object.values(rmqMessagesByQueue).flat();
  return {
    event: { ...rest, rmqMessagesByQueue: { [`orders::${vhost.name}`]: records } },
    records: records.length,
  };
}

/** Messages at rest in all queues that copies go to. */
async function copies(): Promise<number> {
  let sum = 0;
  for (const queue of COPIES) sum += (await channel.checkQueue(queue)).messageCount;
  return sum;
}

describe('the consumer, as synthesised, on a real broker', () => {
  it.each(EVENTS)('settles every record of %s and keeps a copy of each', async (file) => {
    const { event, records } = sample(file);
    const before = await copies();

    const run = await runBundle(app.folder('layover-prod-orders'), event, {
      ...vhost.env,
      ...table.env,
    });

    expect(run.error).toBeUndefined();
    const settled = run.lines.filter(({ message }) => message === 'settled');
    expect(settled).toHaveLength(records);
    // None of the samples is an order, so none can have been processed.
    for (const { verdict } of settled) expect(['park', 'isolated']).toContain(verdict);
    expect(await copies()).toBe(before + records);
  });
});
