import { randomUUID } from 'node:crypto';
import amqp, { type ConfirmChannel, type Options } from 'amqplib';
import { Command } from 'commander';
import { commandBroker, say } from '../broker.ts';
import { UsageError } from '../exit.ts';
import { flowNamed } from '../flows.ts';
import { readInput } from '../json-file.ts';
import { printJson } from '../output.ts';

interface SendOptions {
  readonly id?: string;
  readonly type?: string;
  readonly contentType: string;
  readonly header: readonly string[];
  readonly json?: true;
}

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
    .action(run);
}

function collect(value: string, soFar: readonly string[]): readonly string[] {
  return [...soFar, value];
}

async function run(name: string, file: string, options: SendOptions): Promise<void> {
  const { flow } = await flowNamed(name);
  const body = await readInput(file);
  const messageId = options.id ?? randomUUID();
  const broker = await commandBroker();
  try {
    if (broker.temporary) {
      throw new UsageError(
        'No broker is up to send to. Run "npm start -- --keep" in another terminal, or set AMQP_URL.',
      );
    }
    await publish(broker.url, flow.queue, body, {
      messageId,
      contentType: options.contentType,
      headers: headersOf(options.header),
      ...(options.type === undefined ? {} : { type: options.type }),
    });
  } finally {
    await broker.stop();
  }
  if (options.json) return printJson({ messageId, queue: flow.queue, bytes: body.length });
  say(`Sent ${messageId} to '${flow.queue}' (${body.length} bytes).`);
}

function headersOf(pairs: readonly string[]): Record<string, string> {
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
    throw new UsageError(`--header is '${pair}'; write --header name=value.`);
  });
  return Object.fromEntries(entries);
}

/** Confirmed and routed, or an error that says which of the two failed. */
async function publish(url: string, queue: string, body: Buffer, properties: Options.Publish) {
  const connection = await amqp.connect(url);
  try {
    const channel = await connection.createConfirmChannel();
    await confirmed(channel, queue, body, properties);
  } finally {
    await connection.close();
  }
}

function confirmed(
  channel: ConfirmChannel,
  queue: string,
  body: Buffer,
  properties: Options.Publish,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let returned = false;
    channel.on('return', () => {
      returned = true;
    });
    const options = { ...properties, persistent: true, mandatory: true };
    channel.publish('', queue, body, options, (error) => {
      if (returned) reject(new UsageError(`There is no queue '${queue}' on this broker.`));
      else if (error) reject(error);
      else resolve();
    });
  });
}
