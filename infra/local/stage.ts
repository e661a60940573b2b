import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChannelModel, connect } from 'amqplib';
import { scaleFlow } from '../../functions/policy/scale-flow.ts';
import type { Flow } from '../../functions/policy/types.ts';
import { applyTopology } from '../../functions/topology/apply.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import type { Topology } from '../../functions/topology/types.ts';
import { type Bundle, bundleHandlers } from '../bundle.ts';
import type { LoggedVerdict } from './books/log-book.ts';
import { vhostOf } from './books/management.ts';
import type { RunningBroker } from './broker/types.ts';
import type { ChosenFlow } from './choose-flows.ts';
import { claimTopology, deleteCreated } from './claim-topology.ts';
import { type Downstreams, startDownstreams } from './downstreams.ts';
import { FlowRunner } from './flow-runner.ts';
import type { HandBack } from './hand-back.ts';
import { startLocalTable } from './local-table.ts';
import { obeyPollers } from './replay/obey-pollers.ts';
import { ReplaySchedule } from './replay/schedule.ts';
import { writeScheduleEntry } from './replay/schedule-entry.ts';
import type { FlowPlan } from './scenarios/types.ts';

export interface StageOptions {
  readonly broker: RunningBroker;
  readonly flows: readonly ChosenFlow[];
  readonly plans: ReadonlyMap<string, FlowPlan>;
  readonly speed: number;
  readonly handBack: HandBack;
  /** Whether the schedule looks at what is parked. */
  readonly replay: boolean;
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
  /** Automatic replay; absent when it is left out. */
  readonly schedule?: ReplaySchedule;
  /** What the functions have in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Bundles the handlers again and uses them from the next invocation on. */
  rebundle(): Promise<void>;
}

/** How long a message that can't run in isolation yet waits there, in real time. */
const ISOLATED_WAIT_MS = 60_000;

/** How often the schedule looks at what is parked, in real time, and the shortest pause that makes sense. */
const LOOK_EVERY_MS = 2 * 60_000;
const SHORTEST_LOOK_MS = 1_000;

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
  const state = join(folder, 'state');
  let version = 0;
  const handlers = handlersOf(flows);
  if (options.replay) {
    const flowFiles = flows.map(({ flowFile }) => flowFile);
    handlers[SCHEDULE] = await writeScheduleEntry(flowFiles, folder);
  }
  const bundle = () =>
    bundleHandlers({ handlers, outDir: join(folder, `${++version}`), sourcemap: true });
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
    LAYOVER_BROKER_VHOST: vhostOf(broker.url),
    LAYOVER_REPLAY_MODE: 'on',
    LAYOVER_LOCAL_STATE: state,
    ...(broker.managementUrl === undefined ? {} : { LAYOVER_MANAGEMENT_URL: broker.managementUrl }),
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
  const switchable = actors.map(({ flow, runner }) => ({
    name: flow.name,
    get mappings() {
      return runner.mappings;
    },
    setEnabled: (enabled: boolean) => runner.setEnabled(enabled),
  }));
  cleanup.defer(await obeyPollers(state, switchable, options.onTrouble));
  const schedule = startSchedule(options, bundles, env);
  if (schedule !== undefined) cleanup.defer(() => schedule.stop());

  return {
    connection,
    topology,
    downstreams,
    actors,
    ...(schedule === undefined ? {} : { schedule }),
    env,
    async rebundle() {
      for (const { name, file } of await bundle()) {
        if (name === SCHEDULE) schedule?.replace(file);
        else actors.find(({ flow }) => flow.name === name)?.runner.replace(file);
      }
    },
  };
}

/** Name of the schedule's function; the deployed one has the environment's in front. */
const SCHEDULE = 'replay-schedule';

function startSchedule(
  { speed, onTrouble, onOutput }: StageOptions,
  bundles: readonly Bundle[],
  env: Readonly<Record<string, string>>,
): ReplaySchedule | undefined {
  const bundleFile = bundles.find(({ name }) => name === SCHEDULE)?.file;
  if (bundleFile === undefined) return undefined;
  const schedule = new ReplaySchedule({
    bundleFile,
    env,
    everyMs: Math.max(SHORTEST_LOOK_MS, Math.round(LOOK_EVERY_MS / speed)),
    onTrouble,
    ...(onOutput === undefined ? {} : { onOutput }),
  });
  schedule.start();
  return schedule;
}

function handlersOf(flows: readonly ChosenFlow[]): Record<string, string> {
  return Object.fromEntries(flows.map(({ flow, handlerFile }) => [flow.name, handlerFile]));
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}
