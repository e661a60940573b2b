import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSettings } from '../functions/consumer/settings.ts';
import { scaleFlow } from '../functions/policy/scale-flow.ts';
import type { Flow } from '../functions/policy/types.ts';
import { applyTopology } from '../functions/topology/apply.ts';
import { buildTopology } from '../functions/topology/model.ts';
import { bundleHandlers } from '../infra/bundle.ts';
import type { DiscoveredFlow } from '../infra/discover-flows.ts';
import { FunctionProcess } from '../infra/local/function-process.ts';
import { startLocalTable } from '../infra/local/local-table.ts';
import { withConnection } from './amqp.ts';
import { type CommandBroker, commandBroker } from './broker.ts';
import { say } from './output.ts';
import { isMetricLine, parseRecordLine, type RecordLine } from './record-lines.ts';
import { simulatedDownstream } from './simulated-downstream.ts';

export interface Invoked {
  /** In the order the function said them. */
  readonly lines: readonly RecordLine[];
  /** How the invocation failed; absent when it returned, so that the batch would be acknowledged. */
  readonly failure?: Error;
  readonly broker: CommandBroker['kind'];
}

/**
 * Bundles the handler as for Lambda and runs it in a process of its own on one event, against the
 * broker and with a table of claims, as in production.
 * @throws BundleError, NoBrokerError, CommandFailedError, TopologyError before anything has run
 */
export async function invokeFlow(found: DiscoveredFlow, eventText: string): Promise<Invoked> {
  const { flow, handlerFile } = found;
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'layover-invoke-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  // What is wrong with the handler is said before a broker is waited for.
  const [bundle] = await bundleHandlers({
    handlers: { [flow.name]: handlerFile },
    outDir: folder,
    sourcemap: true,
  });
  const broker = await commandBroker({ flow: flow.name, start: true });
  cleanup.defer(() => broker.stop());
  const env =
    broker.kind === 'local-run' ? broker.env : await surroundings(flow, broker.url, cleanup);

  const lines: RecordLine[] = [];
  const lambda = new FunctionProcess({
    name: flow.name,
    bundleFile: bundle?.file ?? '',
    memoryMiB: flow.lambda.memoryMiB,
    timeoutMs: flow.lambda.timeoutMs,
    // The line of a message that was done is a debug line.
    env: { ...env, AMQP_URL: broker.url, POWERTOOLS_LOG_LEVEL: 'DEBUG' },
    onLine: (line) => {
      const record = parseRecordLine(line);
      if (record !== undefined) lines.push(record);
      // What the handler itself prints is for the person who writes it.
      else if (!isMetricLine(line)) say(line);
    },
  });
  cleanup.defer(() => lambda.stop());
  try {
    await lambda.invoke(eventText);
    return { lines, broker: broker.kind };
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    return { lines, broker: broker.kind, failure };
  }
}

/** What a local run would have set up: queues, a table of claims, a downstream. */
async function surroundings(
  flow: Flow,
  url: string,
  cleanup: AsyncDisposableStack,
): Promise<Readonly<Record<string, string>>> {
  // Environment variables of the person's own count, as they do for the function.
  const { tableName, timeScale } = parseSettings({ ...process.env, AMQP_URL: url });
  const topology = buildTopology([scaleFlow(flow, timeScale)]);
  // A copy needs a queue to go to; on a broker that has them this changes nothing.
  await withConnection(url, (connection) => applyTopology(connection, topology, { mode: 'apply' }));

  const env: Record<string, string> = {};
  if (tableName === undefined) {
    const table = await startLocalTable();
    cleanup.defer(() => table.stop());
    Object.assign(env, table.env);
  }
  const simulated = await simulatedDownstream(flow.name, process.env);
  if (simulated !== undefined) {
    const { variable, downstream } = simulated;
    cleanup.defer(() => downstream.stop());
    env[variable] = downstream.url;
    say(`${variable} is not set: a simulated '${downstream.name}' says yes to everything.`);
  }
  return env;
}
