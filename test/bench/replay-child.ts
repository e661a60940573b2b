/** Runs in a process of its own, so that nothing else takes its time. Reports over IPC. */
import amqp from 'amqplib';
import { createLogin } from '../../functions/broker/login.ts';
import { openParkingReader } from '../../functions/broker/parking-reader.ts';
import { parkedArguments, workArguments } from '../../functions/topology/arguments.ts';
import { basicAuthOf } from '../../infra/local/broker/management.ts';
import { runChild } from './child.ts';
import { config, flow, parked, planned, ports, replay, side, url } from './replay-side.ts';

const MESSAGES = 20_000;
const DEEP = 50_000;
const CHOSEN = 100;
const BODY_BYTES = 1_024;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const WAIT_MS = 60_000;

const managementUrl = process.env.MANAGEMENT_URL ?? '';
const connection = await amqp.connect(url, { noDelay: true });
const channel = await connection.createConfirmChannel();
const body = Buffer.alloc(BODY_BYTES, 'x');
let copies = 0;

/** Fresh queues; `chosen` says which parked messages are of the class to be replayed. */
async function prepare(count: number, chosen: (n: number) => boolean): Promise<void> {
  await channel.deleteQueue(flow.queue);
  await channel.deleteQueue(parked);
  await channel.assertQueue(flow.queue, { arguments: workArguments(flow.queue) });
  await channel.assertQueue(parked, { arguments: parkedArguments() });
  for (let n = 0; n < count; n++) {
    const headers = {
      'x-layover-publish': `bench-${copies++}`,
      'x-failure-class': chosen(n) ? 'transient' : 'invalid',
      'x-failure-rule': 'http.unavailable',
      'x-failure-signature': '0'.repeat(12),
      'x-failure-name': 'Error',
      'x-failure-message': 'The payment service answered 503',
      'x-failure-first-at': '2026-06-01T10:00:00.000Z',
      'x-failure-last-at': '2026-06-01T11:00:00.000Z',
      'x-origin-queue': flow.queue,
      'x-retry-count': 4,
    };
    const options = { messageId: `m-${n}`, headers, persistent: true, contentType: 'text/plain' };
    if (!channel.sendToQueue(parked, body, options)) {
      await new Promise((resolve) => channel.once('drain', resolve));
    }
  }
  await channel.waitForConfirms();
  await depthReaches(parked, count);
}

async function depthReaches(queue: string, count: number): Promise<void> {
  const untilMs = performance.now() + WAIT_MS;
  while ((await channel.checkQueue(queue)).messageCount !== count) {
    if (performance.now() > untilMs) throw new Error(`${queue} never reached ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

/** RabbitMQ's own mover: a dynamic shovel, on-confirm, prefetch 1000. */
async function shovel(): Promise<void> {
  const vhost = encodeURIComponent(ports.vhost);
  const at = `${managementUrl}/api/parameters/shovel/${vhost}/layover-bench`;
  const headers = { authorization: basicAuthOf(url), 'content-type': 'application/json' };
  const value = {
    'src-protocol': 'amqp091',
    'src-uri': `amqp:///${vhost}`,
    'src-queue': parked,
    'src-prefetch-count': 1_000,
    'src-delete-after': 'queue-length',
    'dest-protocol': 'amqp091',
    'dest-uri': `amqp:///${vhost}`,
    'dest-queue': flow.queue,
    'ack-mode': 'on-confirm',
  };
  const answer = await fetch(at, { method: 'PUT', headers, body: JSON.stringify({ value }) });
  if (!answer.ok) throw new Error(`no shovel: ${answer.status} ${await answer.text()}`);
  await depthReaches(flow.queue, MESSAGES);
  await fetch(at, { method: 'DELETE', headers });
}

/** Every message held once and given back, nothing looked at. */
async function bareScan(): Promise<void> {
  const login = createLogin(config, { connectionName: 'bench', now: Date.now });
  const deadlineAtMs = Date.now() + WAIT_MS;
  const reader = await openParkingReader(login, {
    queue: parked,
    lock: undefined,
    now: Date.now,
    deadlineAtMs,
  });
  await reader.scan({ window: DEEP, onDelivery: () => 'more' });
  await reader.release();
  await reader.close();
}

/** Seconds and milliseconds of CPU. */
async function measured(work: () => Promise<unknown>): Promise<{ seconds: number; cpuMs: number }> {
  const before = process.cpuUsage();
  const took = await seconds(work);
  const { user, system } = process.cpuUsage(before);
  return { seconds: took, cpuMs: (user + system) / 1000 };
}

const rounds: { shovel: number; replay: number; cpuMs: number }[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  await prepare(MESSAGES, () => true);
  const peer = await seconds(shovel);
  await prepare(MESSAGES, () => true);
  const id = await planned();
  const ours = await measured(() => replay(id, MESSAGES));
  // The first round warms both up.
  if (round > 0) rounds.push({ shovel: peer, replay: ours.seconds, cpuMs: ours.cpuMs });
}

const selective: { scan: number; replay: number; plan: number }[] = [];
for (let round = 0; round < ROUNDS; round++) {
  await prepare(DEEP, (n) => n % (DEEP / CHOSEN) === 7);
  const scan = await seconds(bareScan);
  await depthReaches(parked, DEEP);
  let id = '';
  const plan = await seconds(async () => {
    id = await planned();
  });
  await depthReaches(parked, DEEP);
  selective.push({ scan, plan, replay: await seconds(() => replay(id, CHOSEN)) });
}

await prepare(DEEP, (n) => n % (DEEP / CHOSEN) === 7);
const peakMiB = await runChild<number>('replay-memory-child.ts', {}, [String(CHOSEN)]);

await channel.deleteQueue(flow.queue);
await channel.deleteQueue(parked);
process.send?.({ rounds, selective, peakMiB });
await side.close();
await connection.close();
process.exit(0);
