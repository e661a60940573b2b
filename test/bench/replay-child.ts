/** Runs in a process of its own, so that its memory is its own. Reports over IPC. */
import { setImmediate } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import amqp from 'amqplib';
import { targetOfUrl } from '../../functions/broker/config.ts';
import { createLogin } from '../../functions/broker/login.ts';
import { openParkingReader } from '../../functions/broker/parking-reader.ts';
import { createBrokerSide } from '../../functions/replay/broker-side.ts';
import { executeRun } from '../../functions/replay/execute.ts';
import { makePlan } from '../../functions/replay/plan.ts';
import type { ReplayPorts } from '../../functions/replay/ports.ts';
import { startRun } from '../../functions/replay/start.ts';
import { createReplayStore } from '../../functions/replay/store/replay-store.ts';
import { parkedArguments, workArguments } from '../../functions/topology/arguments.ts';
import { parkedQueueName } from '../../functions/topology/names.ts';
import { basicAuthOf } from '../../infra/local/broker/management.ts';
import { benchFlow } from './flow.ts';

const MESSAGES = 20_000;
const DEEP = 50_000;
const CHOSEN = 100;
const BODY_BYTES = 1_024;
const ROUNDS = 3;
const WAIT_MS = 60_000;

const url = process.env.AMQP_URL ?? '';
const managementUrl = process.env.MANAGEMENT_URL ?? '';
const flow = {
  ...benchFlow,
  name: 'bench-replay',
  queue: 'layover-bench-replay',
} as never as Parameters<typeof makePlan>[1];
const parked = parkedQueueName(flow.queue);
const connection = await amqp.connect(url, { noDelay: true });
const channel = await connection.createConfirmChannel();
const body = Buffer.alloc(BODY_BYTES, 'x');

const config = { kind: 'url', url } as const;
const side = createBrokerSide(config, Date.now);
const ports: ReplayPorts = {
  environment: 'bench',
  vhost: targetOfUrl(url).vhost,
  store: createReplayStore({
    client: new DynamoDBClient({}),
    tableName: process.env.REPLAY_TABLE ?? '',
    auditTableName: process.env.AUDIT_TABLE ?? '',
  }),
  ...side,
  killSwitch: async () => 'on',
  workStates: async (_flow, messages) => messages.map(() => ({ kind: 'read', value: 'none' })),
  exporter: { keep: () => Promise.reject(new Error('nothing is discarded here')) },
  log: (lines) => process.stdout.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`),
  now: Date.now,
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  breathe: setImmediate,
  newId: () => crypto.randomUUID(),
};

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

async function planned(): Promise<string> {
  const plan = await makePlan(ports, flow, {
    action: 'replay',
    by: 'bench',
    filter: { classes: ['transient'] },
    options: { ramp: false },
  });
  await startRun(ports, flow, plan.id, { by: 'bench', reason: 'measuring' });
  return plan.id;
}

async function replay(id: string, expected: number): Promise<void> {
  const deadlineAtMs = Date.now() + 600_000;
  const { run } = await executeRun(ports, flow, id, { worker: 'bench', deadlineAtMs });
  if (run.state !== 'done' || run.counters.moved !== expected) {
    throw new Error(`moved ${run.counters.moved} of ${expected}, ${run.state}: ${run.why}`);
  }
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

const rounds: { shovel: number; replay: number }[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  await prepare(MESSAGES, () => true);
  const peer = await seconds(shovel);
  await prepare(MESSAGES, () => true);
  const id = await planned();
  const ours = await seconds(() => replay(id, MESSAGES));
  // The first round warms both up.
  if (round > 0) rounds.push({ shovel: peer, replay: ours });
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

await channel.deleteQueue(flow.queue);
await channel.deleteQueue(parked);
const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
process.send?.({ rounds, selective, peakMiB });
await side.close();
await connection.close();
process.exit(0);
