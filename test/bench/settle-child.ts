/**
 * Runs in a process of its own with stdout thrown away, so that log lines cost what they cost in
 * Lambda and land nowhere. Reports over IPC.
 */
import amqp from 'amqplib';
import { consumer } from '../../functions/consumer/consumer.ts';
import { openSandbox } from '../../functions/consumer/sandbox.ts';
import { copyOf } from '../../functions/message/copy.ts';
import { decodeEvent } from '../../functions/message/decode-event.ts';
import type { OutgoingCopy } from '../../functions/message/types.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { parkedQueueName, waitQueueName } from '../../functions/topology/names.ts';
import { aContext } from './context.ts';
import { anEvent } from './event.ts';
import { benchFlow } from './flow.ts';

const COUNT = 1_000;
const BODY_BYTES = 1_024;
const ONE_BY_ONE = 200;
/** Few on a table that makes each round take seconds. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
/** Until both sides run as a sandbox does that has been up for a while: compiled for what they do. */
const WARM_UP = Number(process.env.BENCH_WARM_UP ?? 10);

const connection = await amqp.connect(process.env.AMQP_URL ?? '');
const channel = await connection.createConfirmChannel();
const wait = waitQueueName(benchFlow.queue, benchFlow.schedule.delaysMs[0] ?? 0);
const queues = buildTopology([benchFlow]).queues.filter(({ name }) =>
  [wait, benchFlow.queue, parkedQueueName(benchFlow.queue)].includes(name),
);
for (const { name, arguments: args } of queues) {
  await channel.assertQueue(name, { durable: true, arguments: args });
}

/** Made once: what a handler spends on its own errors is not what is measured. */
const outage = Object.assign(new Error('The payment service answered 503'), { status: 503 });

const failing = consumer(
  benchFlow,
  async () => {
    throw outage;
  },
  (flow, handle) => openSandbox(flow, handle, process.env),
);

const seconds = async (work: () => Promise<unknown>) => {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
};

/**
 * The very copies the consumer makes, ready to be sent; new ones for each round, since a publisher sends
 * each message once and amqplib is faster with header tables it has seen before.
 */
const makeCopies = (): OutgoingCopy[] =>
  decodeEvent(anEvent(benchFlow.queue, COUNT, BODY_BYTES)).records.map(({ message }) => {
    const failure = {
      class: 'transient',
      rule: 'http.unavailable',
      signature: '0'.repeat(12),
      name: 'Error',
      message: 'The payment service answered 503',
    };
    const at = new Date();
    const stampedBy = { flow: 'bench', version: '$LATEST', requestId: 'bench' };
    return copyOf(
      message,
      {
        retryCount: 1,
        failure,
        at,
        consumer: stampedBy,
        suspect: false,
        messageIdIfMissing: '',
        workQueue: benchFlow.queue,
      },
      wait,
    );
  });

function publish(copy: OutgoingCopy, done: (error: unknown) => void): void {
  const { timestampSeconds, ...properties } = copy.properties;
  channel.publish(
    '',
    copy.queue,
    copy.body,
    {
      ...properties,
      ...(timestampSeconds === undefined ? {} : { timestamp: timestampSeconds }),
      headers: copy.headers,
      persistent: true,
      mandatory: true,
    },
    done,
  );
}

const pipelined = (copies: readonly OutgoingCopy[]) =>
  Promise.all(
    copies.map(
      (copy) =>
        new Promise<void>((resolve, reject) => {
          publish(copy, (error) => (error ? reject(error) : resolve()));
        }),
    ),
  );

async function oneByOne(copies: readonly OutgoingCopy[]): Promise<void> {
  for (const copy of copies.slice(0, ONE_BY_ONE)) {
    await new Promise<void>((resolve, reject) =>
      publish(copy, (error) => (error ? reject(error) : resolve())),
    );
  }
}

const events = Array.from({ length: WARM_UP + ROUNDS }, () =>
  anEvent(benchFlow.queue, COUNT, BODY_BYTES),
);
const rounds: { settle: number; pipelined: number; oneByOne: number }[] = [];
for (const [round, event] of events.entries()) {
  const copies = makeCopies();
  const more = makeCopies();
  const peer = await seconds(() => pipelined(copies));
  const settle = await seconds(() => failing(event, aContext()) as Promise<unknown>);
  const single = (await seconds(() => oneByOne(more))) * (COUNT / ONE_BY_ONE);
  if (round >= WARM_UP) rounds.push({ settle, pipelined: peer, oneByOne: single });
  await channel.purgeQueue(wait);
}
for (const { name } of queues) await channel.deleteQueue(name);
process.send?.(rounds);
await connection.close();
process.exit(0);
