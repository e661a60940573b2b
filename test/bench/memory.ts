import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import amqp from 'amqplib';
import { buildTopology } from '../../functions/topology/model.ts';
import { bundleHandlers } from '../../infra/bundle.ts';
import { runChild } from './child.ts';
import { anEvent } from './event.ts';
import { benchFlow } from './flow.ts';

const RECORDS = 10_000;
/** Lambda's limit on an event. */
const EVENT_BYTES = 6 * 1024 * 1024;

/** Of a function of 256 MiB, what is left beside code and buffers. */
const HEAP_MIB = 128;

/** Peak memory of a function that is given 10,000 records in 6 MB and fails every one of them. */
export async function benchMemory(amqpUrl: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'layover-bench-'));
  const connection = await amqp.connect(amqpUrl);
  const channel = await connection.createChannel();
  const { queues } = buildTopology([benchFlow]);
  try {
    for (const { name, arguments: args } of queues) {
      await channel.assertQueue(name, { durable: true, arguments: args });
    }
    const event = join(folder, 'event.json');
    await writeFile(event, largestEvent());
    const handler = fileURLToPath(new URL('./failing-handler.ts', import.meta.url));
    const [bundle] = await bundleHandlers({ handlers: { failing: handler }, outDir: folder });
    return await runChild<number>(
      'memory-child.ts',
      { AMQP_URL: amqpUrl },
      [bundle?.file ?? '', event],
      // Lambda bounds the heap by the function's memory; without a bound Node.js lets garbage lie.
      [`--max-old-space-size=${HEAP_MIB}`],
    );
  } finally {
    for (const { name } of queues) await channel.deleteQueue(name);
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** As large as Lambda lets it be: bodies grow until the text is full. */
function largestEvent(): string {
  const emptyBytes = JSON.stringify(anEvent(benchFlow.queue, RECORDS, 0)).length;
  const bodyBytes = 40 + Math.floor((Math.max(0, EVENT_BYTES - emptyBytes) / RECORDS) * 0.75);
  return JSON.stringify(anEvent(benchFlow.queue, RECORDS, bodyBytes));
}
