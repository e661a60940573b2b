import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelModel, connect } from 'amqplib';
import { scaleFlow } from '../../functions/policy/scale-flow.ts';
import type { Flow } from '../../functions/policy/types.ts';
import { applyTopology } from '../../functions/topology/apply.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import type { Topology } from '../../functions/topology/types.ts';
import { bundleHandlers } from '../bundle.ts';
import type { LoggedVerdict } from './books/log-book.ts';
import { vhostOf } from './books/management.ts';
import type { RunningBroker } from './broker/types.ts';
import type { ChosenFlow } from './choose-flows.ts';
import { claimTopology, deleteCreated } from './claim-topology.ts';
import { type Downstreams, startDownstreams } from './downstreams.ts';
import { FlowRunner } from './flow-runner.ts';
import type { HandBack } from './hand-back.ts';
import { startLocalTable } from './local-table.ts';
import type { FlowPlan } from './scenarios/types.ts';

export interface StageOptions {
  readonly broker: RunningBroker;
  readonly flows: readonly ChosenFlow[];
  readonly plans: ReadonlyMap<string, FlowPlan>;
  readonly speed: number;
  readonly handBack: HandBack;
  /** The functions log what went well, too, and what handlers log at debug level. Default false. */
  readonly verbose?: boolean;
  readonly print: (line: string) => void;
  readonly onTrouble: (text: string) => void;
  readonly onVerdict?: (verdict: LoggedVerdict) => void;
  readonly onOutput?: (line: string) => void;
}

/** Everything a run needs, standing: topology applied, downstreams and pollers started. */
export interface Stage {
  readonly connection: ChannelModel;
  readonly topology: Topology;
  readonly downstreams: Downstreams;
  readonly actors: readonly { readonly flow: Flow; readonly runner: FlowRunner }[];
  /** What the functions have in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Bundles the handlers again and uses them from the next invocation on. */
  rebundle(): Promise<void>;
}

/** How long a message that can't run in isolation yet waits there, in real time. */
const ISOLATED_WAIT_MS = 60_000;

/** A tier can't be shorter than RabbitMQ's smallest TTL that means anything. */
const SHORTEST_WAIT_MS = 50;

/**
 * Sets the stage. Every step puts its undoing on the stack as soon as it is done, so that whatever
 * fails or is interrupted, `cleanup` takes back exactly what exists.
 */
export async function setStage(
  options: StageOptions,
  cleanup: AsyncDisposableStack,
): Promise<Stage> {
  const { broker, flows, speed, print } = options;
  const scaled = flows.map(({ flow }) => scaleFlow(flow, speed));
  const isolatedWaitMs = Math.max(SHORTEST_WAIT_MS, Math.round(ISOLATED_WAIT_MS / speed));
  const topology = buildTopology(scaled, { isolatedWaitMs });

  const connection = await connect(broker.url, {
    clientProperties: { connection_name: 'layover local run' },
  });
  connection.on('error', (error) => options.onTrouble(`connection: ${error.message}`));
  cleanup.defer(() => connection.close().catch(() => {}));

  const created = await claimTopology(connection, topology, broker.maskedUrl);
  cleanup.defer(() => deleteCreated(connection, created));
  await applyTopology(connection, topology, { mode: 'apply' });
  print(`topology    ${topology.queues.length} queues, all durable and quorum`);

  const folder = await mkdtemp(join(tmpdir(), 'layover-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  let version = 0;
  const bundle = () =>
    bundleHandlers({
      handlers: handlersOf(flows),
      outDir: join(folder, `${++version}`),
      sourcemap: true,
    });
  const bundles = await bundle();
  print(
    `functions   ${bundles.map(({ name, bytes }) => `${name} ${kilobytes(bytes)}`).join(', ')}, bundled as for Lambda`,
  );

  const downstreams = await startDownstreams(options.plans);
  cleanup.defer(() => downstreams.stop());
  if (downstreams.byFlow.size > 0) {
    print(
      `downstream  ${[...downstreams.byFlow.values()].map(({ name, url }) => `${name} ${url}`).join(', ')}`,
    );
  }
  const table = await startLocalTable();
  cleanup.defer(() => table.stop());

  const env = {
    AMQP_URL: broker.url,
    LAYOVER_ENVIRONMENT: 'local',
    LAYOVER_TIME_SCALE: String(speed),
    ...(options.verbose ? { POWERTOOLS_LOG_LEVEL: 'DEBUG' } : {}),
    ...table.env,
    ...downstreams.env,
  };
  const actors = flows.map(({ flow }, index) => {
    const bundleFile = bundles.find(({ name }) => name === flow.name)?.file ?? '';
    const runner = new FlowRunner({
      ...options,
      flow: scaled[index] ?? flow,
      bundleFile,
      amqpUrl: broker.url,
      vhost: vhostOf(broker.url),
      env,
    });
    cleanup.defer(() => runner.stop());
    return { flow, runner };
  });
  await Promise.all(actors.map(({ runner }) => runner.start()));

  return {
    connection,
    topology,
    downstreams,
    actors,
    env,
    async rebundle() {
      for (const { name, file } of await bundle()) {
        actors.find(({ flow }) => flow.name === name)?.runner.replace(file);
      }
    },
  };
}

function handlersOf(flows: readonly ChosenFlow[]): Record<string, string> {
  return Object.fromEntries(flows.map(({ flow, handlerFile }) => [flow.name, handlerFile]));
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}
