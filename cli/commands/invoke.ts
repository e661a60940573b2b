import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import amqp from 'amqplib';
import { Command } from 'commander';
import { SETTLED, UNSETTLED } from '../../functions/consumer/report.ts';
import { applyTopology } from '../../functions/topology/apply.ts';
import { buildTopology } from '../../functions/topology/model.ts';
import { bundleHandlers } from '../../infra/bundle.ts';
import type { DiscoveredFlow } from '../../infra/discover-flows.ts';
import { FunctionProcess } from '../../infra/local/function-process.ts';
import { type CommandBroker, commandBroker, say } from '../broker.ts';
import { EXIT } from '../exit.ts';
import { flowNamed } from '../flows.ts';
import { readJson } from '../json-file.ts';
import { printJson, textTable } from '../output.ts';

interface InvokeOptions {
  readonly event: string;
  readonly json?: true;
}

/** What became of one record; `queue` is where its copy is, null when none was needed. */
interface RecordResult {
  readonly messageId: string;
  readonly verdict: string;
  readonly class: string | null;
  readonly queue: string | null;
}

export function invokeCommand(): Command {
  return new Command('invoke')
    .description("run a flow's real handler on a Lambda event, against the broker")
    .argument('<flow>', 'name of the flow')
    .requiredOption('--event <file>', 'the event as JSON; - for stdin')
    .option('--json', 'a line of JSON per record')
    .action(run);
}

async function run(name: string, options: InvokeOptions): Promise<void> {
  const found = await flowNamed(name);
  const event = JSON.stringify(await readJson(options.event));
  const broker = await commandBroker();
  const results: RecordResult[] = [];
  try {
    await prepare(found, broker);
    await invoke(found, broker, event, (result) => results.push(result));
  } finally {
    await broker.stop();
  }
  if (options.json) {
    for (const result of results) printJson(result);
    return;
  }
  const rows = results.map((each) => [
    each.messageId,
    each.verdict,
    each.class ?? '-',
    each.queue ?? '-',
  ]);
  console.log(textTable(['message', 'verdict', 'class', 'copy in'], rows));
}

/** A copy needs a queue to go to; on a broker that has them this changes nothing. */
async function prepare({ flow }: DiscoveredFlow, broker: CommandBroker): Promise<void> {
  if (Object.keys(broker.env).length > 0) return;
  const connection = await amqp.connect(broker.url);
  try {
    await applyTopology(connection, buildTopology([flow]), { mode: 'apply' });
  } finally {
    await connection.close();
  }
}

async function invoke(
  { flow, handlerFile }: DiscoveredFlow,
  broker: CommandBroker,
  event: string,
  onResult: (result: RecordResult) => void,
): Promise<void> {
  const outDir = await mkdtemp(join(tmpdir(), 'layover-invoke-'));
  let lambda: FunctionProcess | undefined;
  try {
    const [bundle] = await bundleHandlers({ handlers: { [flow.name]: handlerFile }, outDir });
    lambda = new FunctionProcess({
      name: flow.name,
      bundleFile: bundle?.file ?? '',
      memoryMiB: flow.lambda.memoryMiB,
      timeoutMs: flow.lambda.timeoutMs,
      // The line of a message that was done is a debug line.
      env: { ...broker.env, AMQP_URL: broker.url, POWERTOOLS_LOG_LEVEL: 'DEBUG' },
      onLine: (line) => readLine(line, onResult),
    });
    await lambda.invoke(event);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = EXIT.failed;
  } finally {
    await lambda?.stop();
    await rm(outDir, { recursive: true, force: true });
  }
}

/** Log lines of records become results; what the handler itself says goes to the person. */
function readLine(line: string, onResult: (result: RecordResult) => void): void {
  const entry = parsed(line);
  if (entry?._aws !== undefined) return;
  if (entry?.message !== SETTLED && entry?.message !== UNSETTLED) {
    say(line);
    return;
  }
  onResult({
    messageId: String(entry.messageId),
    verdict: String(entry.verdict),
    class: typeof entry.class === 'string' ? entry.class : null,
    queue: typeof entry.to === 'string' ? entry.to : null,
  });
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
