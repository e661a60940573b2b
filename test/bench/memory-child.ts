/** Handles one event of 10,000 records and 6 MB whose handler fails every time; reports its peak. */
import amqp from 'amqplib';
import { consumer } from '../../functions/consumer/consumer.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { aContext, anEvent } from './event.ts';
import { benchFlow } from './flow.ts';

const RECORDS = 10_000;
const EVENT_BYTES = 6 * 1024 * 1024;

const connection = await amqp.connect(process.env.AMQP_URL ?? '');
const channel = await connection.createChannel();
const { queues } = buildTopology([benchFlow]);
for (const { name, arguments: args } of queues) {
  await channel.assertQueue(name, { durable: true, arguments: args });
}

const overhead = JSON.stringify(anEvent(benchFlow.queue, 1, 40)).length;
const bodyBytes = Math.max(40, Math.floor(((EVENT_BYTES / RECORDS - overhead) * 3) / 4) + 40);
// As Lambda has it: the text of the event is gone once it is parsed.
const event = JSON.parse(JSON.stringify(anEvent(benchFlow.queue, RECORDS, bodyBytes)));

const failing = consumer(benchFlow, async () => {
  throw Object.assign(new Error('The payment service answered 503'), { status: 503 });
});
await failing(event, aContext());
const peakMiB = process.resourceUsage().maxRSS / 1024;
for (const { name } of queues) await channel.deleteQueue(name);
process.send?.({ peakMiB: Math.round(peakMiB), eventBytes: JSON.stringify(event).length });
await connection.close();
process.exit(0);
