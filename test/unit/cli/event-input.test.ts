import { describe, expect, it } from 'vitest';
import { eventOfBody, noteOn, readEvent } from '../../../cli/event-input.ts';
import { UsageError } from '../../../cli/exit.ts';
import { eventOf } from './messages.ts';
import { runLayover, tempFile } from './run-layover.ts';

const FLOW = { name: 'orders', queue: 'orders' };

async function refusal(content: unknown): Promise<string> {
  const file = await tempFile('event.json', JSON.stringify(content));
  const error: unknown = await readEvent(file).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  return (error as UsageError).message;
}

describe('an event file', () => {
  it('goes to the function as it is, numbers beyond 2^53 and odd keys included', async () => {
    const text =
      '{"eventSource":"aws:rmq", "__proto__":{"n":9007199254740993},"rmqMessagesByQueue":{}}';
    const event = await readEvent(await tempFile('event.json', text));
    expect(event).toEqual({ text, messages: [] });
  });

  it('gives its messages in order', async () => {
    const content = JSON.stringify(eventOf('orders', [{ id: 'a' }, {}, { id: 'b' }]));
    const { messages } = await readEvent(await tempFile('event.json', content));
    expect(messages.map(({ properties }) => properties.messageId)).toEqual(['a', undefined, 'b']);
  });

  it.each([
    ['of another source', { eventSource: 'aws:sqs', Records: [] }, 'eventSource is "aws:sqs"'],
    ['of ActiveMQ', { eventSource: 'aws:mq', messages: [] }, 'eventSource is "aws:mq"'],
    ['without queues', { eventSource: 'aws:rmq' }, 'rmqMessagesByQueue is undefined'],
    ["a message's body", { orderId: 'o-1' }, '--body'],
    ['a list', [], 'not an object'],
  ])('is refused when it is %s, with the value and a way out', async (_what, event, words) => {
    const message = await refusal(event);
    expect(message).toContain(words);
    expect(message).toContain("event.json' is no event of a RabbitMQ mapping");
  });

  it('is refused before a broker is looked for', async () => {
    const file = await tempFile('event.json', '{"eventSource":"aws:sqs"}');
    const { code, stdout, stderr } = await runLayover('invoke', 'orders', '--event', file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('eventSource is "aws:sqs"');
    expect(stderr).not.toContain('broker:');
  });

  it.each([
    ['neither', []],
    ['both', ['--event', 'event.json', '--body', 'body.json']],
  ])('or a body must be given, not %s', async (_what, options) => {
    const { code, stderr } = await runLayover('invoke', 'orders', ...options);
    expect(code).toBe(2);
    expect(stderr).toContain('Give either --event <file>');
  });
});

describe('the event made of a body', () => {
  it('holds the body byte for byte, as a first delivery with an id of its own', async () => {
    const body = Buffer.from([0x7b, 0x7d, 0xff, 0x0a]);
    const { text, messages } = await eventOfBody(await tempFile('body', body), 'orders::v2');
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ queue: 'orders::v2', vhost: '/', redelivered: false });
    expect(messages[0]?.body.equals(body)).toBe(true);
    expect(messages[0]?.properties.messageId).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(text)).toMatchObject({ eventSource: 'aws:rmq' });
  });
});

describe('a note', () => {
  const messages = async (queue: string, count = 1) => {
    const content = JSON.stringify(eventOf(queue, new Array(count).fill({})));
    return (await readEvent(await tempFile('event.json', content))).messages;
  };

  it("is made when the event is of another queue than the flow's", async () => {
    expect(noteOn(await messages('pizzaQueue'), FLOW)).toContain(
      "of the queue 'pizzaQueue', the flow 'orders' reads 'orders'",
    );
  });

  it('is not made for the work queue and for isolation', async () => {
    expect(noteOn(await messages('orders'), FLOW)).toBeUndefined();
    expect(noteOn(await messages('orders.isolated'), FLOW)).toBeUndefined();
  });

  it('is made when there is nothing to do', async () => {
    expect(noteOn(await messages('orders', 0), FLOW)).toContain('no messages');
  });
});
