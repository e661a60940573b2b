import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { withConnection } from '../amqp.ts';
import { commandBroker } from '../broker.ts';
import { UsageError } from '../exit.ts';
import { flowNamed } from '../flows.ts';
import { readInput } from '../json-file.ts';
import { print, printJson } from '../output.ts';
import { publish } from '../publish.ts';

interface SendOptions {
  readonly id?: string;
  readonly type?: string;
  readonly contentType: string;
  readonly header: readonly string[];
  readonly json?: true;
}

const HELP = `
Goes to the broker of AMQP_URL, else to that of a local run that is up (npm start -- --keep).
Confirmed by the broker and routed to the queue, or exit code 1.

Example:
  echo '{"id":"1"}' | npm run -s layover -- send orders - --header tenant=blue --json`;

export function sendCommand(): Command {
  return new Command('send')
    .description("publish a message to a flow's work queue, as a sender would")
    .argument('<flow>', 'name of the flow')
    .argument('<file>', 'the body; - for stdin')
    .option('--id <messageId>', 'messageId (default: a new one)')
    .option('--type <type>', 'message type')
    .option('--content-type <type>', 'content type', 'application/json')
    .option('--header <name=value>', 'a header; may be repeated', collect, [])
    .option('--json', 'one line of JSON')
    .addHelpText('after', HELP)
    .action(run);
}

function collect(value: string, soFar: readonly string[]): readonly string[] {
  return [...soFar, value];
}

async function run(name: string, file: string, options: SendOptions): Promise<void> {
  const { flow } = await flowNamed(name);
  const body = await readInput(file);
  const messageId = shortText('--id', options.id ?? randomUUID());
  const properties = {
    messageId,
    contentType: shortText('--content-type', options.contentType),
    headers: headersOf(options.header),
    ...(options.type === undefined ? {} : { type: shortText('--type', options.type) }),
  };
  const broker = await commandBroker({ flow: flow.name, start: false });
  await withConnection(broker.url, (connection) =>
    publish(connection, flow.queue, body, properties),
  );
  if (options.json) return printJson({ messageId, queue: flow.queue, bytes: body.length });
  print(`Sent ${messageId} to '${flow.queue}' (${body.length} bytes).`);
}

const MAX_SHORT_TEXT_BYTES = 255;

/** AMQP writes the length of these into one byte. */
function shortText(flag: string, text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_SHORT_TEXT_BYTES) return text;
  throw new UsageError(`${flag} has ${bytes} bytes; AMQP allows ${MAX_SHORT_TEXT_BYTES}.`);
}

function headersOf(pairs: readonly string[]): Record<string, string> {
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    if (at > 0) return [shortText('--header', pair.slice(0, at)), pair.slice(at + 1)];
    throw new UsageError(`--header is '${pair}'; write --header name=value.`);
  });
  return Object.fromEntries(entries);
}
