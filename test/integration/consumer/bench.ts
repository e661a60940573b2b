import { randomBytes, randomUUID } from 'node:crypto';
import { type ChannelModel, type ConsumeMessage, connect, type GetMessage } from 'amqplib';
import type { Context } from 'aws-lambda';
import { consumer } from '../../../functions/consumer/consumer.ts';
import type { Handle } from '../../../functions/consumer/handler-types.ts';
import type { Sandbox } from '../../../functions/consumer/invocation.ts';
import { openSandbox } from '../../../functions/consumer/sandbox.ts';
import { defineFlow } from '../../../functions/policy/define-flow.ts';
import type { FlowDefinition } from '../../../functions/policy/flow-definition.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { applyTopology } from '../../../functions/topology/apply.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { readyCounts } from '../../../infra/local/books/counts.ts';
import { toEvent, toEventRecord } from '../../../infra/local/to-event.ts';
import { brokerUrl } from '../../helpers/broker.ts';
import { startTable, type TestTable } from '../../helpers/table.ts';
import { until } from '../../helpers/until.ts';

export interface BenchOptions {
  readonly flow?: Partial<FlowDefinition>;
  /** False: the function knows no table. Default true. */
  readonly table?: boolean;
}

/** A real broker and a real table protocol, with the consumer in this process and no poller. */
export class Bench {
  readonly flow: Flow;
  readonly connection: ChannelModel;
  readonly table: TestTable;
  readonly #env: Readonly<Record<string, string>>;
  #sandbox: Sandbox<unknown> | undefined;

  private constructor(flow: Flow, connection: ChannelModel, table: TestTable, useTable: boolean) {
    this.flow = flow;
    this.connection = connection;
    this.table = table;
    const env = { ...table.env, AMQP_URL: brokerUrl(), LAYOVER_ENVIRONMENT: 'test' };
    this.#env = useTable ? env : { ...env, LAYOVER_TABLE: '' };
  }

  static async open({ flow: parts = {}, table: useTable = true }: BenchOptions = {}) {
    const flow = defineFlow({
      name: `consumer-${randomBytes(3).toString('hex')}`,
      owner: 'tests',
      runbook: 'none',
      impact: 'none',
      schedule: { delays: ['1m', '5m'] },
      handlerTimeout: '2s',
      ...parts,
    });
    const connection = await connect(brokerUrl());
    const table = await startTable();
    process.env.AWS_ENDPOINT_URL_DYNAMODB = table.env.AWS_ENDPOINT_URL_DYNAMODB;
    process.env.AWS_REGION = table.env.AWS_REGION;
    process.env.AWS_ACCESS_KEY_ID = table.env.AWS_ACCESS_KEY_ID;
    process.env.AWS_SECRET_ACCESS_KEY = table.env.AWS_SECRET_ACCESS_KEY;
    const bench = new Bench(flow, connection, table, useTable);
    await applyTopology(connection, bench.#topology(), { mode: 'apply' });
    return bench;
  }

  /** Runs one invocation on these deliveries, as the event source mapping would. */
  async invoke(
    handle: Handle<unknown>,
    deliveries: readonly ConsumeMessage[],
    { queue = this.flow.queue, timeoutMs = 10_000 } = {},
  ): Promise<void> {
    const lambda = consumer(this.flow, handle, (flow, run) => {
      this.#sandbox ??= openSandbox(flow, run, this.#env);
      return { ...this.#sandbox, handle: run };
    });
    const event = JSON.parse(toEvent(queue, '/', deliveries.map(toEventRecord)));
    const endsAtMs = Date.now() + timeoutMs;
    const context = {
      awsRequestId: randomUUID(),
      functionVersion: '1',
      getRemainingTimeInMillis: () => endsAtMs - Date.now(),
    };
    await lambda(event, context as Context);
  }

  /** Sends to the work queue and takes it off again: what the first invocation is given. */
  async deliver(
    ids: readonly (string | undefined)[],
    body: object = {},
  ): Promise<ConsumeMessage[]> {
    const channel = await this.connection.createConfirmChannel();
    for (const messageId of ids) {
      const options = { persistent: true, ...(messageId === undefined ? {} : { messageId }) };
      channel.sendToQueue(this.flow.queue, Buffer.from(JSON.stringify(body)), options);
    }
    await channel.waitForConfirms();
    await channel.close();
    return this.takeAll(this.flow.queue, ids.length);
  }

  /** Takes so many messages off a queue. */
  async takeAll(queue: string, count: number): Promise<ConsumeMessage[]> {
    const channel = await this.connection.createChannel();
    const taken: ConsumeMessage[] = [];
    await until(
      `${count} messages in ${queue}`,
      async () => {
        const message = await channel.get(queue, { noAck: true });
        if (message) taken.push(asConsumed(message));
        return taken.length >= count;
      },
      { timeoutMs: 10_000 },
    );
    await channel.close();
    return taken;
  }

  /** Ready messages of the flow's queues, empty ones left out, by the part after the work queue's name. */
  async depths(): Promise<Record<string, number>> {
    const names = this.#topology().queues.map(({ name }) => name);
    const counts = await readyCounts(this.connection, names);
    const found = [...counts].filter(([, { messages }]) => messages > 0);
    return Object.fromEntries(
      found.map(([name, { messages }]) => [name.slice(this.flow.queue.length), messages]),
    );
  }

  async close(): Promise<void> {
    await this.#sandbox?.session.close();
    const channel = await this.connection.createChannel();
    for (const { name } of this.#topology().queues) await channel.deleteQueue(name);
    await this.connection.close();
    await this.table.stop();
  }

  #topology() {
    return buildTopology([this.flow], { isolatedWaitMs: 60_000 });
  }
}

/** What `basic.get` gives, as a consumer would have been given it. */
function asConsumed({ fields, properties, content }: GetMessage): ConsumeMessage {
  const { deliveryTag, redelivered, exchange, routingKey } = fields;
  const consumed = { deliveryTag, redelivered, exchange, routingKey, consumerTag: 'bench' };
  return { fields: consumed, properties, content };
}
