import { Command } from 'commander';
import type { Message } from '../../functions/message/types.ts';
import { type EventInput, eventOfBody, noteOn, readEvent } from '../event-input.ts';
import { CommandFailedError, UsageError } from '../exit.ts';
import { flowNamed } from '../flows.ts';
import { type Invoked, invokeFlow } from '../invoke-flow.ts';
import { print, printJson, say, textTable } from '../output.ts';
import { pairLines, type RecordLine } from '../record-lines.ts';
import { whyOf } from '../record-why.ts';

interface InvokeOptions {
  readonly event?: string;
  readonly body?: string;
  readonly json?: true;
}

const HELP = `
The handler is bundled as for Lambda and runs in a process of its own, with a table of claims in memory
unless LAYOVER_TABLE names one. The broker is that of AMQP_URL, else of a local run that is up
(npm start -- --keep), else one started for this command. Missing queues are created, and stay.

With --json a line per record, in the order of the event; "queue" is where its copy is, or null:
  {"messageId":"m-1","verdict":"retry","class":"transient","queue":"orders.wait.10s"}
The exit code is 1 when the invocation failed, so that Lambda would give the batch back.

Examples:
  npm run -s layover -- invoke orders --event test/fixtures/events/aws-docs-with-mq.json
  npm run -s layover -- invoke orders --body body.json --json`;

export function invokeCommand(): Command {
  return new Command('invoke')
    .description("run a flow's real handler on a Lambda event, against the broker")
    .argument('<flow>', 'name of the flow')
    .option('--event <file>', 'the event as JSON; - for stdin')
    .option('--body <file>', "a message's body instead, of which an event is made; - for stdin")
    .option('--json', 'a line of JSON per record')
    .addHelpText('after', HELP)
    .action(run);
}

async function run(name: string, options: InvokeOptions): Promise<void> {
  const found = await flowNamed(name);
  const { text, messages } = await inputOf(options, found.flow.queue);
  const note = noteOn(messages, found.flow);
  if (note !== undefined) say(note);
  const invoked = await invokeFlow(found, text);
  const lines = pairLines(messages, invoked.lines);
  if (options.json) {
    for (const [index, message] of messages.entries()) printJson(resultOf(lines[index], message));
  } else if (messages.length > 0) {
    print(tableOf(messages, lines));
    sayWhereCopiesAre(invoked);
  }
  if (invoked.failure) {
    throw new CommandFailedError(
      `The invocation failed, so the broker would keep the batch: ${invoked.failure.message}`,
      { cause: invoked.failure },
    );
  }
}

function inputOf({ event, body }: InvokeOptions, queue: string): Promise<EventInput> {
  if (event !== undefined && body === undefined) return readEvent(event);
  if (body !== undefined && event === undefined) return eventOfBody(body, queue);
  throw new UsageError('Give either --event <file>, a Lambda event, or --body <file>.');
}

/** What became of one record; `queue` is where its copy is, null when none was needed. */
function resultOf(line: RecordLine | undefined, { properties }: Message) {
  return {
    messageId: line?.messageId ?? properties.messageId ?? null,
    verdict: line?.verdict ?? 'unsettled',
    class: line?.class ?? null,
    queue: line?.to ?? null,
  };
}

function tableOf(messages: readonly Message[], lines: readonly (RecordLine | undefined)[]): string {
  const rows = messages.map((message, index) => {
    const line = lines[index];
    const result = resultOf(line, message);
    const why = whyOf(line, message);
    return [
      result.messageId ?? '-',
      result.verdict,
      result.class ?? '-',
      line?.rule ?? '-',
      result.queue ?? '-',
      why.length > LONGEST_WHY ? `${why.slice(0, LONGEST_WHY)}…` : why,
    ];
  });
  return textTable(['message', 'verdict', 'class', 'rule', 'copy in', 'why'], rows);
}

const LONGEST_WHY = 160;

function sayWhereCopiesAre({ broker, lines }: Invoked): void {
  if (broker === 'temporary' && lines.some(({ to }) => to !== undefined)) {
    say('The broker was started for this command and is gone, and the copies with it.');
  }
}
