import { randomUUID } from 'node:crypto';
import type { ConsumeMessage } from 'amqplib';
import { decodeEvent } from '../functions/message/decode-event.ts';
import { EventError } from '../functions/message/errors.ts';
import type { Message } from '../functions/message/types.ts';
import { isolatedQueueName } from '../functions/topology/names.ts';
import { toEvent, toEventRecord } from '../infra/local/to-event.ts';
import { UsageError } from './exit.ts';
import { parseJson, readInput, readText } from './json-file.ts';

export interface EventInput {
  /** As the function gets it: the file's own text, so that nothing is changed by reading it here. */
  readonly text: string;
  /** Its messages, in the order of the event. */
  readonly messages: readonly Message[];
}

/** @throws UsageError when the file is not the event of a RabbitMQ event source mapping */
export async function readEvent(path: string): Promise<EventInput> {
  const text = await readText(path);
  const event = parseJson(path, text);
  try {
    return { text, messages: decodeEvent(event).records.map(({ message }) => message) };
  } catch (cause) {
    if (!(cause instanceof EventError)) throw cause;
    throw new UsageError(
      `'${path}' is no event of a RabbitMQ mapping: ${cause.message}\nFor a message's body alone use --body ${path}.`,
      { cause },
    );
  }
}

/** The event Lambda would get for one new message with this body. */
export async function eventOfBody(path: string, queue: string): Promise<EventInput> {
  const properties = {
    messageId: randomUUID(),
    contentType: 'application/json',
    deliveryMode: 2,
  };
  const delivery = {
    content: await readInput(path),
    fields: { redelivered: false },
    properties,
  } as ConsumeMessage;
  const text = toEvent(queue, '/', [toEventRecord(delivery)]);
  const { records } = decodeEvent(JSON.parse(text));
  return { text, messages: records.map(({ message }) => message) };
}

/** What a person should know before reading the results; undefined when all is as usual. */
export function noteOn(messages: readonly Message[], flow: { name: string; queue: string }) {
  if (messages.length === 0) return 'Note: the event holds no messages.';
  const own = new Set([flow.queue, isolatedQueueName(flow.queue)]);
  const others = [...new Set(messages.map(({ queue }) => queue))].filter((name) => !own.has(name));
  if (others.length === 0) return undefined;
  const names = others.map((name) => `'${name}'`).join(', ');
  return `Note: the event is of the queue ${names}, the flow '${flow.name}' reads '${flow.queue}'. Copies go where the flow's own would go.`;
}
