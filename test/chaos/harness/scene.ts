import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { defineFlow } from '../../../functions/policy/define-flow.ts';
import type { Flow } from '../../../functions/policy/types.ts';
import { applyTopology } from '../../../functions/topology/apply.ts';
import { buildTopology } from '../../../functions/topology/model.ts';
import { isolatedQueueName, parkedQueueName } from '../../../functions/topology/names.ts';
import type { Topology } from '../../../functions/topology/types.ts';
import { readyCounts } from '../../../infra/local/books/counts.ts';
import { vhostOf } from '../../../infra/local/books/management.ts';
import { scanParking } from '../../../infra/local/books/parking-scan.ts';
import type { HandBack } from '../../../infra/local/hand-back.ts';
import { until } from '../../helpers/until.ts';
import type { PlainDefinition } from '../functions/flow-definition.ts';
import { type ChaosBooks, isDone, keepBooks, type Whereabouts } from './books.ts';
import type { ChaosStage } from './chaos-stage.ts';
import { Control, type ControlPlan, NO_PLAN } from './control.ts';
import { Mapping } from './mapping.ts';
import { publishAll } from './messages.ts';

export interface SceneOptions {
  readonly name: string;
  readonly plan?: ControlPlan;
  readonly handBack?: HandBack;
  /** `classic`: somebody else's queue, without delivery counts. Default quorum, ours. */
  readonly queue?: 'quorum' | 'classic';
  /** `no-table`: the functions know of no table at all. Default on. */
  readonly idempotency?: 'on' | 'off' | 'no-table';
  /** Default 6, with a window of half a second: six messages published together are one batch. */
  readonly batchSize?: number;
  readonly parallelism?: number;
  readonly maxAttempts?: number;
  /** What Lambda allows the function, in milliseconds; may be less than a real Lambda's. */
  readonly timeoutMs?: number;
  /** For the functions, over what the scene sets; an empty value takes a variable away. */
  readonly env?: Readonly<Record<string, string>>;
  /** The pollers' way to the broker; default directly. */
  readonly pollerUrl?: string;
}

/** How long a message waits in isolation before it is looked at again. */
const ISOLATED_WAIT_MS = 500;
const DELAYS = ['200ms', '400ms'] as const;

/** One flow under test: its queues, its two functions with their pollers, its control server. */
export class Scene {
  readonly flow: Flow;
  readonly control: Control;
  readonly work: Mapping;
  readonly isolated: Mapping;
  /** What functions and pollers said, newest last; shown when a scene does not come to rest. */
  readonly lines: string[] = [];
  readonly disturbances: { fromMs: number; toMs: number }[] = [];
  readonly #stage: ChaosStage;
  readonly #options: SceneOptions;
  readonly #topology: Topology;
  readonly #published: string[] = [];

  private constructor(stage: ChaosStage, options: SceneOptions, flow: Flow, control: Control) {
    this.#stage = stage;
    this.#options = options;
    this.flow = flow;
    this.control = control;
    this.#topology = buildTopology([flow], { isolatedWaitMs: ISOLATED_WAIT_MS });
    this.work = this.#mapping('work');
    this.isolated = this.#mapping('isolated');
  }

  /** Makes the queues; {@link start} lets the pollers read. */
  static async open(stage: ChaosStage, options: SceneOptions): Promise<Scene> {
    const control = await Control.start(options.plan ?? NO_PLAN);
    const flow = defineFlow(definitionOf(stage, options));
    const scene = new Scene(stage, options, flow, control);
    if (options.queue === 'classic') await scene.#declareClassic();
    await applyTopology(stage.connection, scene.#topology, { mode: 'apply' });
    return scene;
  }

  async start(): Promise<void> {
    await Promise.all([this.work.poller.start(), this.isolated.poller.start()]);
  }

  /** To the work queue, unless told another one. */
  async publish(ids: readonly string[], queue = this.flow.queue): Promise<void> {
    await publishAll(this.#stage.connection, queue, ids);
    this.#published.push(...ids);
  }

  /** Marks a time in which connections or table are disturbed from outside. */
  async disturbed<T>(act: () => Promise<T>): Promise<T> {
    const disturbance = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.disturbances.push(disturbance);
    try {
      return await act();
    } finally {
      disturbance.toMs = Date.now();
    }
  }

  /**
   * Waits until every message has a final place and nothing is on its way, and gives the books. After the
   * time limit it gives the books as they are then: a message without a place is lost.
   */
  async rest(timeoutMs = 60_000): Promise<ChaosBooks> {
    let calm = 0;
    try {
      await until(
        'all messages in their final place',
        async () => {
          calm = (await this.#isCalm()) ? calm + 1 : 0;
          // A message between two queues shows in neither: it has to be calm for a while.
          return calm >= 3;
        },
        { timeoutMs, intervalMs: 100 },
      );
    } catch {
      this.lines.push(`not at rest after ${timeoutMs} ms`);
    }
    return this.books();
  }

  async books(): Promise<ChaosBooks> {
    const { connection } = this.#stage;
    return keepBooks({
      published: this.#published,
      control: this.control,
      plan: this.#options.plan ?? NO_PLAN,
      completed: await this.#completed(),
      parked: await scanParking(connection, parkedQueueName(this.flow.queue)),
      invoked: [...this.work.invoked, ...this.isolated.invoked],
      disturbances: this.disturbances,
      inFlight: await this.#inFlight(),
      maxAttempts: this.flow.schedule.maxAttempts,
    });
  }

  /** Messages that have been done at the downstream, for pacing faults by progress. */
  get progress(): number {
    const done = new Set(
      this.control.ledger.entries.flatMap(({ accepted, id }) => (accepted ? [id] : [])),
    );
    return done.size;
  }

  /** Ready messages per queue. */
  async depths(): Promise<ReadonlyMap<string, number>> {
    const names = this.#topology.queues.map(({ name }) => name);
    const counts = await readyCounts(this.#stage.connection, names);
    return new Map([...counts].map(([name, { messages }]) => [name, messages]));
  }

  async close(): Promise<void> {
    await Promise.all([this.work.stop(), this.isolated.stop()]);
    await this.control.stop();
    const channel = await this.#stage.connection.createChannel();
    channel.on('error', () => {});
    for (const { name } of this.#topology.queues) await channel.deleteQueue(name);
    await channel.close();
  }

  async #isCalm(): Promise<boolean> {
    if ((await this.#inFlight()) > 0) return false;
    const { messages } = await this.books();
    return messages.every(hasPlace);
  }

  async #inFlight(): Promise<number> {
    const parked = parkedQueueName(this.flow.queue);
    let total = this.work.poller.state.held + this.isolated.poller.state.held;
    for (const [name, messages] of await this.depths()) if (name !== parked) total += messages;
    return total;
  }

  /** Ids with a completed record; undefined where this scene keeps none. */
  async #completed(): Promise<ReadonlySet<string> | undefined> {
    if ((this.#options.idempotency ?? 'on') !== 'on') return undefined;
    const { env } = this.#stage.table;
    const client = new DynamoDBClient({
      endpoint: env.AWS_ENDPOINT_URL_DYNAMODB ?? '',
      region: env.AWS_REGION ?? '',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    const prefix = `message#${this.flow.name}#`;
    const ids = new Set<string>();
    const input = {
      TableName: env.LAYOVER_TABLE ?? '',
      FilterExpression: 'begins_with(id, :prefix) AND #status = :completed',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':prefix': { S: prefix }, ':completed': { S: 'completed' } },
    };
    for await (const { Items = [] } of paginateScan({ client }, input)) {
      for (const { id } of Items) ids.add(id?.S?.slice(prefix.length) ?? '');
    }
    client.destroy();
    return ids;
  }

  #mapping(place: 'work' | 'isolated'): Mapping {
    const { flow } = this;
    const { brokerUrl, bundleFile } = this.#stage;
    const work = place === 'work';
    return new Mapping({
      place,
      flow: flow.name,
      queue: work ? flow.queue : isolatedQueueName(flow.queue),
      brokerUrl: this.#options.pollerUrl ?? brokerUrl,
      vhost: vhostOf(brokerUrl),
      batch: work ? flow.batch : { size: 1, windowMs: 0 },
      handBack: this.#options.handBack ?? 'nack',
      bundleFile,
      memoryMiB: flow.lambda.memoryMiB,
      timeoutMs: this.#options.timeoutMs ?? 8_000,
      env: this.#env(),
      onDeath: (died) => this.control.died(died),
      onLine: (line) => {
        if (!line.includes('{"_aws"')) this.lines.push(`${new Date().toISOString()} ${line}`);
      },
    });
  }

  #env(): Readonly<Record<string, string>> {
    const { table } = this.#stage;
    const env: Record<string, string> = {
      AMQP_URL: this.#stage.brokerUrl,
      ...table.env,
      NODE_COMPILE_CACHE: this.#stage.compileCache,
      CHAOS_URL: this.control.url,
      CHAOS_FLOW: JSON.stringify(definitionOf(this.#stage, this.#options)),
    };
    if (this.#options.idempotency === 'no-table') env.LAYOVER_TABLE = '';
    return { ...env, ...this.#options.env };
  }

  async #declareClassic(): Promise<void> {
    const channel = await this.#stage.connection.createChannel();
    await channel.assertQueue(this.flow.queue, { durable: true });
    await channel.close();
  }
}

/** Has one final place at least. */
function hasPlace(message: Whereabouts): boolean {
  return isDone(message) || message.parked.length > 0;
}

function definitionOf(stage: ChaosStage, options: SceneOptions): PlainDefinition {
  return {
    name: `${stage.prefix}-${options.name}`,
    queueMode: options.queue === 'classic' ? 'existing' : 'declare',
    owner: 'tests',
    runbook: 'docs/guarantees.md',
    impact: 'none',
    schedule: { delays: DELAYS, maxAttempts: options.maxAttempts ?? 3 },
    idempotency: (options.idempotency ?? 'on') !== 'off',
    batch: { size: options.batchSize ?? 6, window: '500ms' },
    parallelism: options.parallelism ?? 2,
    // Room for a busy machine: a handler that is given up late would count as applied twice.
    handlerTimeout: '2s',
    lambda: { memoryMiB: 128, timeout: '10s' },
  };
}
